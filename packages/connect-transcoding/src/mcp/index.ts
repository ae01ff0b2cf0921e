import type { ServeStdioOptions, StdioServerHandle } from "@modelcontextprotocol/server/stdio";
import { knownOptions } from "@utility-tools/http-server/portable";
import type { Caller } from "../call/caller.js";
import type { PostPage } from "../call/http/pages.js";
import { loadOnce } from "../call/load-once.js";
import { loadOptions, MCP_OPTIONS, type McpOptions, type McpPageOptions } from "./options.js";
import { idOf, isTooLarge, readMessage, TOO_LARGE } from "./read-message.js";

export type { McpOptions, McpPageOptions, ToolInfo } from "./options.js";

/**
 * Creates the endpoint of the Model Context Protocol, whose tools are the methods of the server: JSON responses without sessions, in
 * revision 2026-07-28 and older ones. The package `@modelcontextprotocol/server` is loaded, and the tools are described, at the first request.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function mcpPage(given: McpPageOptions): PostPage {
  const { maxRequestBytes = 1024 * 1024, ...options } = knownOptions("mcpPage", given, MCP_OPTIONS);
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
 * Serves the methods of a caller on a transport of `@modelcontextprotocol/server`, such as its `StdioServerTransport`, until the transport or
 * the handle is closed. Messages with deep nesting or too many values are rejected.
 */
export async function serveTools(
  caller: Caller,
  options: McpOptions,
  { transport, ...rest }: ServeStdioOptions & Required<Pick<ServeStdioOptions, "transport">>,
): Promise<StdioServerHandle> {
  const [{ createServers }, { serveStdio }] = await Promise.all([
    import("./server.js"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const create = createServers(caller, await loadOptions(knownOptions("serveTools", options, MCP_OPTIONS)));
  const handle = serveStdio(() => create(() => caller), { ...rest, transport });
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const id = idOf(message);
    if (!isTooLarge(message)) {
      receive?.(message, extra);
    } else if (id !== null) {
      transport.send({ jsonrpc: "2.0", id, error: TOO_LARGE }).catch((thrown) => rest.onerror?.(thrown));
    }
  };
  return handle;
}
