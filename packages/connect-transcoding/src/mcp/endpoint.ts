import type { Caller } from "../call/caller.js";
import type { PostRequest } from "../call/http/pages.js";
import { RPC_HEADERS, rpcErrorOf, SERVER_ERROR } from "../protocols/mcp/error.js";
import { mediaTypeOf } from "../routes/binding/request-parameters.js";
import type { HttpResponse } from "../routes/encoding/response-encoder.js";
import { createDispatch } from "./dispatch.js";
import type { LoadedOptions } from "./options.js";
import type { ReadMessage } from "./read-message.js";

/** Responds to one message over HTTP. */
export type Endpoint = (request: PostRequest, read: ReadMessage, caller: Caller) => Promise<HttpResponse>;

/** Creates the endpoint of one adapter. */
export async function createEndpoint(adapter: Caller, options: LoadedOptions): Promise<Endpoint> {
  const { origins = [] } = options;
  const dispatch = await createDispatch(adapter, options);
  return async (request, read, caller) => {
    const foreign = foreignSource(request, origins);
    if (foreign !== undefined) {
      const body = JSON.stringify(rpcErrorOf({ code: SERVER_ERROR, message: foreign }));
      return { status: 403, headers: RPC_HEADERS, body };
    }
    mediaTypeOf(request.header("content-type") ?? "", ["application/json"]);
    const { status, body } = await dispatch(read, {
      caller,
      session: request.header("mcp-session-id"),
      header: (name) => request.header(name),
      onClose: (listener) => request.onClose(listener),
    });
    if (body === undefined) {
      return { status, headers: {}, body: "" };
    }
    const isNew = "message" in read && read.message.method === "initialize" && "result" in body;
    // A session is a name for what a client cancels: nothing is stored for it, and none is required.
    const headers = isNew ? { ...RPC_HEADERS, "mcp-session-id": crypto.randomUUID() } : RPC_HEADERS;
    return { status, headers, body: JSON.stringify(body) };
  };
}

const LOCAL = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;
const ADDRESS = /^https?:\/\/(?:localhost|\d+(?:\.\d+){3}|\[[\d:a-f.]+\])(?::\d+)?$/i;

/**
 * Why a request may come from a page of another site. A page can have its own name resolved to this server (DNS rebinding), so that only an
 * origin that is an address counts as the server's own, and a server on this machine is not called by another name. The base URL has only
 * hosts of this server if `checkHost` is set.
 */
function foreignSource(request: PostRequest, origins: readonly string[]): string | undefined {
  const { baseUrl } = request;
  const origin = request.header("origin");
  const isOwn = origin === baseUrl && ADDRESS.test(baseUrl);
  if (origin !== undefined && !isOwn && !origins.includes(origin) && !origins.includes("*")) {
    return "pages of this origin may not call this server";
  }
  const isForeign = LOCAL.test(baseUrl) && !LOCAL.test(`http://${request.header("host") ?? "localhost"}`);
  return isForeign ? "the host is not this server" : undefined;
}
