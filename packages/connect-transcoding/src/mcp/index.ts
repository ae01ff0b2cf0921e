import { knownOptions } from "@utility-tools/http-server/portable";
import type { Caller } from "../call/caller.js";
import type { PostPage } from "../call/http/pages.js";
import { loadOptions, MCP_OPTIONS, type McpOptions, type McpPageOptions } from "./options.js";
import { readMessage } from "./read-message.js";

export type { McpOptions, McpPageOptions, ToolInfo } from "./options.js";

/**
 * Creates the endpoint of the Model Context Protocol, whose tools are the methods of the server: JSON responses without sessions, in
 * revision 2026-07-28 and older ones. The package `@modelcontextprotocol/server` is loaded, and the tools are described, at the first request.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function mcpPage(given: McpPageOptions): PostPage {
  const { maxRequestBytes = 1024 * 1024, ...options } = knownOptions("mcpPage", given, MCP_OPTIONS);
  const open = async () => (await import("./endpoint.js")).createEndpoint(await loadOptions(options));
  let endpoint: ReturnType<typeof open> | undefined;
  return {
    maxRequestBytes,
    protocol: "mcp",
    post: async (request, body, caller) => {
      // The bytes are valid now only.
      const message = readMessage(body);
      endpoint ??= open();
      return (await endpoint)(request, message, caller);
    },
  };
}

/**
 * Returns a function that creates servers of `@modelcontextprotocol/server` for other transports, such as its `serveStdio`. Each serves one
 * connection.
 */
export async function createMcpServers(
  caller: Caller,
  options: McpOptions,
): Promise<() => import("@modelcontextprotocol/server").Server> {
  const { createServers } = await import("./server.js");
  const create = createServers(await loadOptions(knownOptions("createMcpServers", options, MCP_OPTIONS)));
  return () => create(() => caller, caller);
}
