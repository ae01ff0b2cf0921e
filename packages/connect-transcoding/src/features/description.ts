import type { AdapterOptions } from "../call/options.js";
import type { Comments } from "../openapi/comments.js";
import type { ApiInfo } from "./options.js";

/** What describes the API of a server, besides its routes. */
export interface Description {
  readonly openapi: ApiInfo;
  readonly docs: boolean;
  readonly mcp: boolean;
  /** The path before all methods and routes. */
  readonly prefix: string;
  readonly transcoding: NonNullable<AdapterOptions["transcoding"]>;
}

/** The comments of an API. */
export async function loadComments({ comments = {} }: ApiInfo): Promise<Comments> {
  return typeof comments === "function" ? await comments() : comments;
}
