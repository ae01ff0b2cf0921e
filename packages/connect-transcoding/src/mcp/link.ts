import type { JsonObject } from "@bufbuild/protobuf";
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import { abbreviate } from "../errors/http-error.js";
import { callTool } from "./call-tool.js";
import type { LoadedOptions } from "./options.js";
import type { MethodTool } from "./tools.js";

/** A response; an error has the member `error`. */
export type RpcResponse = Exclude<JSONRPCMessage, { method: string }>;

/** A request in progress. */
export interface LinkedRequest {
  /** Undefined if it was cancelled. */
  readonly response: Promise<RpcResponse | undefined>;
  readonly cancel: () => void;
  /** Whether the package has responded at once, because the request is not valid. */
  readonly isRejected: boolean;
}

/** Passes a request to a server. */
export type ServerLink = (request: JSONRPCRequest, caller: Caller) => LinkedRequest;

/** The revision in which each request has its own envelope. */
export const MODERN = "2026-07-28";

/**
 * Opens a connection within the process to a server whose tools are the methods of a caller. It serves the requests of all clients, in the revision
 * {@link MODERN} or in those before: a server for each request takes longer than most calls. A request has an ID of its own there.
 * Notifications have no place in a single response.
 */
export async function openLink(
  tools: ReadonlyMap<string, MethodTool>,
  { info, instructions }: LoadedOptions,
  era: "modern" | "legacy",
): Promise<ServerLink> {
  const classification = { era, ...(era === "modern" && { revision: MODERN }) };
  const transport = new LinkTransport({ classification });
  const { pending } = transport;
  const descriptions = [...tools.values()].map(({ description }) => description);
  const server = new Server(info, {
    capabilities: { tools: {} },
    ...(instructions !== undefined && { instructions }),
    ...(era === "modern" && { supportedProtocolVersions: [MODERN] }),
  });
  // A handler for `tools/call` has its arguments and results copied and validated by schemas, which takes longer than most calls,
  // drops a member `__proto__`, and adds nothing: the method validates its arguments.
  server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => {
    if (method === "tools/list") {
      return { tools: descriptions };
    }
    if (method !== "tools/call") {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    }
    const { name, arguments: args = {} } = params;
    const tool = typeof name === "string" ? tools.get(name) : undefined;
    const caller = pending.get(mcpReq.id)?.caller;
    if (tool === undefined || caller === undefined) {
      const shown = typeof name === "string" ? abbreviate(name) : typeof name;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${shown}`);
    }
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "arguments must be an object");
    }
    return { ...(await callTool(tool, args as JsonObject, caller, mcpReq.signal)) };
  };
  await server.connect(transport);
  let last = 0;
  return (request, caller) => {
    last += 1;
    const id = last;
    const response = new Promise<RpcResponse | undefined>((resolve) => {
      const settle = (given?: RpcResponse): void => {
        pending.delete(id);
        resolve(given && { ...given, id: request.id });
      };
      pending.set(id, { caller, settle });
    });
    transport.onmessage?.({ ...request, id }, { classification });
    return {
      response,
      isRejected: !pending.has(id),
      cancel: () => {
        const entry = pending.get(id);
        if (entry !== undefined) {
          const params = { requestId: id };
          transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
          entry.settle();
        }
      },
    };
  };
}

/** The transport of the package that selects a revision, for any number of requests. */
class LinkTransport extends PerRequestHTTPServerTransport {
  readonly pending = new Map<RequestId, { caller: Caller; settle: (response?: RpcResponse) => void }>();

  override async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && message.id !== undefined) {
      this.pending.get(message.id)?.settle(message);
    }
  }
}
