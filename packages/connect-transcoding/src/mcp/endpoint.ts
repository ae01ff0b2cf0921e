import {
  classifyInboundRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJsonContentType,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import type { PostRequest } from "../call/http/pages.js";
import { RPC_HEADERS, type RpcError, rpcErrorResponse, SERVER_ERROR } from "../protocols/mcp/error.js";
import type { HttpResponse } from "../routes/encoding/response-encoder.js";
import { openLink, type RpcResponse, type ServerLink } from "./link.js";
import type { LoadedOptions } from "./options.js";
import { idOf, type ReadMessage } from "./read-message.js";
import { createServers } from "./server.js";

/** Responds to one message over HTTP. */
export type Endpoint = (request: PostRequest, read: ReadMessage, caller: Caller) => Promise<HttpResponse>;

/** Creates the endpoint of one adapter. Nothing is stored for a client beyond its requests in progress. */
export function createEndpoint(adapter: Caller, options: LoadedOptions): Endpoint {
  const { origins = [] } = options;
  const createServer = createServers(adapter, options);
  /** Connections to servers, by revision; all before 2026-07-28 are one. */
  const links = new Map<string | undefined, ServerLink>();
  /** Cancels a request in progress, by session and ID. */
  const running = new Map<string, () => void>();

  return async (request, read, caller) => {
    const foreign = foreignSource(request, origins);
    if (foreign !== undefined) {
      return rejection(403, foreign);
    }
    if (!isJsonContentType(request.header("content-type"))) {
      return rejection(415, "the content type must be application/json");
    }
    if ("error" in read) {
      return rpcErrorResponse(400, read.error);
    }
    const { message } = read;
    const route = classifyInboundRequest({ httpMethod: "POST", body: message, ...headersOf(request) });
    if (route.kind === "reject") {
      return rpcErrorResponse(route.httpStatus, route, idOf(message));
    }
    const session = request.header("mcp-session-id");
    if (!isJSONRPCRequest(message)) {
      if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        running.get(keyOf(session, message.params?.requestId))?.();
      }
      return ACCEPTED;
    }
    const isModern = route.kind === "modern";
    const problem = isModern ? headerProblem(request, message.params?.name) : versionProblem(request);
    if (problem !== undefined) {
      return rpcErrorResponse(400, problem, message.id);
    }
    const revision = isModern ? route.classification.revision : undefined;
    const link = links.get(revision) ?? openLink(createServer);
    const { response, cancel } = link(message, caller);
    request.onClose(cancel);
    const key = session === undefined ? undefined : keyOf(session, message.id);
    if (key !== undefined) {
      running.set(key, cancel);
    }
    const answer = await response;
    if (key !== undefined && running.get(key) === cancel) {
      running.delete(key);
    }
    if (answer === undefined) {
      return ACCEPTED;
    }
    // Only the revisions that the package supports have results.
    if ("result" in answer) {
      links.set(revision, link);
    }
    return {
      status: isModern ? statusOf(answer) : 200,
      headers: {
        ...RPC_HEADERS,
        // A session is a name for what a client cancels: nothing is stored for it, and none is required.
        ...(message.method === "initialize" && { "mcp-session-id": crypto.randomUUID() }),
      },
      body: JSON.stringify(answer),
    };
  };
}

const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: "" };

function rejection(status: number, message: string): HttpResponse {
  return rpcErrorResponse(status, { code: SERVER_ERROR, message });
}

/** The headers that the revision of a request depends on. */
function headersOf(request: PostRequest) {
  const [version, method] = [request.header("mcp-protocol-version"), request.header("mcp-method")];
  return {
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  };
}

/** The error for headers that are missing. Those that are present agree with the message in revision and method, as it is classified by them. */
function headerProblem(request: PostRequest, name: unknown): RpcError | undefined {
  const isComplete =
    request.header("mcp-protocol-version") !== undefined &&
    request.header("mcp-method") !== undefined &&
    (name === undefined || decoded(request.header("mcp-name")) === name);
  const message = "the headers mcp-protocol-version, mcp-method and mcp-name must be as in the message";
  return isComplete ? undefined : { code: HEADER_MISMATCH, message };
}

/** The `HeaderMismatch` of revision 2026-07-28. */
const HEADER_MISMATCH = -32_020;

/** The value of a header that can be in base64, as `=?base64?…?=`. */
function decoded(value = ""): string {
  const [, base64] = /^=\?base64\?([\w+/]*=*)\?=$/i.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

function versionProblem(request: PostRequest): RpcError | undefined {
  const version = request.header("mcp-protocol-version");
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return undefined;
  }
  const allowed = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
  return { code: SERVER_ERROR, message: `unknown protocol version; allowed: ${allowed}` };
}

/** The statuses of errors since revision 2026-07-28: an unknown method, a missing capability, and an unsupported revision. */
const STATUSES: Readonly<Record<number, number>> = { [-32_601]: 404, [-32_021]: 400, [-32_022]: 400 };

function statusOf(answer: RpcResponse): number {
  return ("error" in answer ? STATUSES[answer.error.code] : undefined) ?? 200;
}

function keyOf(session: string | undefined, id: unknown): string {
  return `${session} ${JSON.stringify(id)}`;
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
