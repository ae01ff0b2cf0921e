import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "../call/caller.js";
import type { CreateServer } from "./server.js";

/** A response; an error has the member `error`. */
export type RpcResponse = Exclude<JSONRPCMessage, { method: string }>;

/** A request in progress. */
export interface LinkedRequest {
  /** Undefined if it was cancelled. */
  readonly response: Promise<RpcResponse | undefined>;
  readonly cancel: () => void;
}

/** Passes a request to a server. */
export type ServerLink = (request: JSONRPCRequest, caller: Caller) => LinkedRequest;

/**
 * Opens a connection within the process whose server serves the requests of all clients in one revision, which the first request selects: a
 * server for each request takes longer than most calls. A request has an ID of its own there. Notifications have no place in a single response.
 */
export function openLink(create: CreateServer): ServerLink {
  const pending = new Map<RequestId, { caller: Caller; settle: (response?: RpcResponse) => void }>();
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if (!("method" in message) && message.id !== undefined) {
        pending.get(message.id)?.settle(message);
      }
    },
  };
  // Tools do not change, so there is nothing to subscribe to.
  serveStdio(() => create((id) => pending.get(id)?.caller), { transport, maxSubscriptions: 0 });
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
    transport.onmessage?.({ ...request, id });
    return {
      response,
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
