import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundHttpRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJsonContentType,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import type { PostRequest } from "../call/http/pages.js";
import type { HttpResponse } from "../routes/encoding/response-encoder.js";
import { connectLink, type ServerLink } from "./link.js";
import type { LoadedOptions } from "./options.js";
import { InvalidMessage } from "./read-message.js";
import { createServers } from "./server.js";

/** Responds to one message over HTTP. */
export type Endpoint = (
  request: PostRequest,
  message: object | InvalidMessage,
  caller: Caller,
) => Promise<HttpResponse>;

/** Creates the endpoint. Nothing is stored for a client beyond its requests in progress. */
export function createEndpoint(options: LoadedOptions): Endpoint {
  const { origins = [] } = options;
  const createServer = createServers(options);
  const links = new WeakMap<Caller["methods"], Promise<ServerLink>>();
  /** Cancels a request in progress, by session and ID. */
  const running = new Map<string, () => void>();
  const callers = new WeakMap<Request, Caller>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) {
        throw new Error("the request has no caller");
      }
      return createServer(() => caller, caller);
    },
    // Tools do not change.
    { legacy: "reject", maxSubscriptions: 0 },
  );

  async function serveModern(message: object, request: PostRequest, caller: Caller): Promise<HttpResponse> {
    const disconnected = new AbortController();
    request.onClose(() => disconnected.abort());
    const headers = HEADERS.flatMap((name): [string, string][] => {
      const value = request.header(name);
      return value === undefined ? [] : [[name, value]];
    });
    const { signal } = disconnected;
    const inner = new Request(`${request.baseUrl}/`, { method: "POST", headers, signal });
    callers.set(inner, caller);
    const response = await modern.fetch(inner, { parsedBody: message });
    return { status: response.status, headers: JSON_HEADERS, body: await response.text() };
  }

  /** Serves a revision before 2026-07-28. */
  async function serveLegacy(message: object, request: PostRequest, caller: Caller): Promise<HttpResponse> {
    const version = request.header("mcp-protocol-version");
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      return rejection(
        400,
        -32_000,
        `unknown protocol version; allowed: ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}`,
      );
    }
    const session = request.header("mcp-session-id");
    if (!isJSONRPCRequest(message)) {
      if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        running.get(keyOf(session, message.params?.requestId))?.();
      }
      return isJSONRPCNotification(message) || isJSONRPCResponse(message)
        ? ACCEPTED
        : rejection(400, -32_600, "the body must be one JSON-RPC message");
    }
    const isInitialize = message.method === "initialize";
    const link = isInitialize ? openLink(caller) : (links.get(caller.methods) ?? openLink(caller));
    if (!isInitialize) {
      // The handshake is the state of its server.
      links.set(caller.methods, link);
    }
    const { response, cancel } = (await link)(message, caller);
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
    // A session is a name for what a client cancels: nothing is stored for it, and none is required.
    const headers = isInitialize ? { ...JSON_HEADERS, "mcp-session-id": crypto.randomUUID() } : JSON_HEADERS;
    return { status: 200, headers, body: JSON.stringify(answer) };
  }

  const openLink = (caller: Caller) => connectLink((callerOf) => createServer(callerOf, caller));

  return async (request, message, caller) => {
    const foreign = foreignSource(request, origins);
    if (foreign !== undefined) {
      return rejection(403, -32_000, foreign);
    }
    if (!isJsonContentType(request.header("content-type"))) {
      return rejection(415, -32_000, "the content type must be application/json");
    }
    if (message instanceof InvalidMessage) {
      return rejection(400, message.code, message.message, message.id);
    }
    return classifyInboundRequest(inbound(request, message)).kind === "legacy"
      ? serveLegacy(message, request, caller)
      : serveModern(message, request, caller);
  };
}

/** The headers that the protocol reads. */
const HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"];

const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: "" };

function rejection(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): HttpResponse {
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  return { status, headers: JSON_HEADERS, body };
}

/** What the revision of a request depends on. */
function inbound(request: PostRequest, body: object): InboundHttpRequest {
  const [version, method, name] = ["mcp-protocol-version", "mcp-method", "mcp-name"].map((each) =>
    request.header(each),
  );
  return {
    ...{ httpMethod: "POST", body },
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
  };
}

function keyOf(session: string | undefined, id: unknown): string {
  return `${session} ${JSON.stringify(id)}`;
}

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const ADDRESS = /^(?:localhost|\d+(?:\.\d+){3}|\[[\d:a-f.]+\])$/;

/**
 * Why a request may come from a page of another site. A page can have its own name resolved to this server (DNS rebinding), so that only an
 * origin that is an address counts as the server's own, and a server on this machine is not called by another name. The base URL has only
 * hosts of this server if `checkHost` is set.
 */
function foreignSource(request: PostRequest, origins: readonly string[]): string | undefined {
  const { baseUrl } = request;
  const origin = request.header("origin");
  const isOwn = origin === baseUrl && ADDRESS.test(new URL(baseUrl).hostname);
  if (origin !== undefined && !isOwn && !origins.includes(origin) && !origins.includes("*")) {
    return "pages of this origin may not call this server";
  }
  const host = `http://${request.header("host") ?? "localhost"}`;
  const isForeign = LOCAL.test(new URL(baseUrl).hostname) && !LOCAL.test(new URL(host).hostname);
  return isForeign ? "the host is not this server" : undefined;
}
