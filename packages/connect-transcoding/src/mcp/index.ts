import { knownOptions } from "@utility-tools/http-server/portable";
import type { Caller } from "../call/caller.js";
import type { PostPage } from "../call/http/pages.js";
import { loadOnce } from "../call/load-once.js";
import { loadOptions, MCP_OPTIONS, type McpOptions, type McpPageOptions } from "./options.js";
import { MAX_MESSAGE_BYTES, readMessage } from "./read-message.js";
import type { LineStreams } from "./serve-lines.js";

export type { McpOptions, McpPageOptions, ToolInfo } from "./options.js";
export type { LineStreams } from "./serve-lines.js";

/**
 * Creates the endpoint of the Model Context Protocol, whose tools are the methods of the server: JSON responses without sessions, in
 * revision 2026-07-28 and older ones. The package `@modelcontextprotocol/server` is loaded, and the tools are described, at the first request.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function mcpPage(given: McpPageOptions): PostPage {
  const { maxRequestBytes = MAX_MESSAGE_BYTES, ...options } = knownOptions("mcpPage", given, MCP_OPTIONS);
  const open = (caller: Caller) =>
    loadOnce(async () => (await import("./endpoint.js")).createEndpoint(caller, await loadOptions(options)));
  /** By adapter: several can have the page. */
  const endpoints = new WeakMap<Caller["methods"], ReturnType<typeof open>>();
  return {
    maxRequestBytes,
    protocol: "mcp",
    post: async (request, body, caller) => {
      // The bytes are valid now only.
      const read = readMessage(body);
      const endpoint = endpoints.get(caller.methods) ?? open(caller);
      endpoints.set(caller.methods, endpoint);
      return (await endpoint())(request, read, caller);
    },
  };
}

/**
 * Serves the methods of a caller to one client, by messages in lines. Resolves when the input has ended and its requests have responses, and
 * rejects as `input` and `write` do.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveTools(caller: Caller, given: McpOptions, streams: LineStreams): Promise<void> {
  const options = await loadOptions(knownOptions("serveTools", given, MCP_OPTIONS));
  const { serveLines } = await import("./serve-lines.js");
  await serveLines(caller, options, streams);
}
