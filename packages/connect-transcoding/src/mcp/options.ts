import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import type { Implementation, ToolAnnotations } from "@modelcontextprotocol/server";
import type { OptionNames } from "@utility-tools/http-server/portable";
import type { Comments } from "../openapi/comments.js";

/** What describes a tool beyond its method. Each member replaces what is derived from the proto file. */
export interface ToolInfo {
  /** At most 64 letters, digits, `_` and `-`. Default: service and method, `book_get_book`. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Arguments that a call without them has. */
  readonly defaults?: JsonObject | undefined;
}

/** Options of the Model Context Protocol. */
export interface McpOptions {
  /** The name and the version of the server. */
  readonly info: Implementation;
  /** The comments in the proto files, as for `openApiDocument`, or a function that loads them. Default: none. */
  readonly comments?: Comments | (() => Promise<Comments>) | undefined;
  /** How to use the tools, for models. */
  readonly instructions?: string | undefined;
  /** Describes the tool of a method; `hidden` for none. Default: methods of `grpc.*` are hidden. */
  readonly tool?: ((method: DescMethod) => ToolInfo | "hidden" | undefined) | undefined;
}

/** Options of the endpoint. */
export interface McpPageOptions extends McpOptions {
  /** The maximum length of a request in bytes. Default: 1 MiB. */
  readonly maxRequestBytes?: number | undefined;
  /**
   * Origins whose pages may call the endpoint, or `*` for all. The origin of the server may if it is an address or `localhost`: a name of another site
   * can be resolved to this server.
   */
  readonly origins?: readonly string[] | undefined;
}

/** Options whose comments are loaded. */
export interface LoadedOptions extends Omit<McpPageOptions, "comments"> {
  readonly comments: Comments;
}

/** Loads the comments. */
export async function loadOptions({ comments = {}, ...options }: McpPageOptions): Promise<LoadedOptions> {
  return { ...options, comments: typeof comments === "function" ? await comments() : comments };
}

/** The names of {@link McpPageOptions}. */
export const MCP_OPTIONS: OptionNames<McpPageOptions> = {
  info: true,
  comments: true,
  instructions: true,
  tool: true,
  maxRequestBytes: true,
  origins: true,
};
