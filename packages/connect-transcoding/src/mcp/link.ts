import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  Server,
  Transport,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";

/** A request in progress. */
export interface LinkedRequest {
  /** Undefined if it was cancelled. */
  readonly response: Promise<JSONRPCMessage | undefined>;
  readonly cancel: () => void;
}

/** Passes a request to a server. */
export type ServerLink = (request: JSONRPCRequest, caller: Caller) => LinkedRequest;

/**
 * Connects a server that serves the requests of all clients: a server for each takes longer than most calls. A request has an ID of its own
 * there. Notifications have no place in a single response.
 */
export async function connectLink(
  create: (callerOf: (id: RequestId) => Caller) => Server,
): Promise<ServerLink> {
  const pending = new Map<RequestId, { caller: Caller; settle: (response?: JSONRPCMessage) => void }>();
  const server = create((id) => {
    const entry = pending.get(id);
    if (entry === undefined) {
      throw new Error("the request is over");
    }
    return entry.caller;
  });
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      if ("id" in message && !("method" in message) && message.id !== undefined) {
        pending.get(message.id)?.settle(message);
      }
    },
  };
  await server.connect(transport);
  let last = 0;
  return (request, caller) => {
    last += 1;
    const id = last;
    const response = new Promise<JSONRPCMessage | undefined>((resolve) => {
      const settle = (given?: JSONRPCMessage): void => {
        pending.delete(id);
        resolve(given && ({ ...given, id: request.id } as JSONRPCMessage));
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
