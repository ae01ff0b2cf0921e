import {
  classifyInboundRequest,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCRequest,
  METHOD_NOT_FOUND,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import { type RpcError, type RpcId, rpcErrorOf, SERVER_ERROR } from "../protocols/mcp/error.js";
import { MODERN, openLink, type RpcResponse } from "./link.js";
import type { LoadedOptions } from "./options.js";
import { idOf, type ReadMessage } from "./read-message.js";
import { describeTools } from "./tools.js";

/** Where a message comes from. */
export interface MessageSource {
  readonly caller: Caller;
  /** The name of what can cancel its requests; undefined for none. */
  readonly session: string | undefined;
  /** Returns the value of a header; undefined if the transport has none. */
  readonly header?: (name: string) => string | undefined;
  /** Calls back when nobody waits for the response any more. */
  readonly onClose: (listener: () => void) => void;
}

/** The response to a message, with its status over HTTP; without a body for a notification and a cancelled request. */
export interface MessageResponse {
  readonly status: number;
  readonly body?: RpcResponse | ReturnType<typeof rpcErrorOf>;
}

/** Responds to a message. */
export type Dispatch = (read: ReadMessage, source: MessageSource) => Promise<MessageResponse>;

/** Creates what responds to the messages of all clients. Nothing is stored for a client beyond its requests in progress. */
export async function createDispatch(adapter: Caller, options: LoadedOptions): Promise<Dispatch> {
  const tools = describeTools(adapter, options);
  const [legacy, modern] = await Promise.all([
    openLink(tools, options, "legacy"),
    openLink(tools, options, "modern"),
  ]);
  /** Cancels a request in progress, by session and ID. */
  const running = new Map<string, () => void>();

  return async (read, { caller, session, header, onClose }) => {
    if ("error" in read) {
      return rejection(400, read.error, read.id);
    }
    const { message } = read;
    const request = isJSONRPCRequest(message) ? message : undefined;
    const era = eraOf(message, request, header);
    if (typeof era !== "string") {
      return rejection(era.status, era, idOf(message));
    }
    if (request === undefined) {
      if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        running.get(keyOf(session, idOf({ id: message.params?.requestId })))?.();
      }
      return ACCEPTED;
    }
    if (era === "legacy" && request.method === "initialize" && !isInitializeRequest(request)) {
      return rejection(200, INVALID_INITIALIZE, request.id);
    }
    const { response, cancel, isRejected } = (era === "modern" ? modern : legacy)(request, caller);
    onClose(cancel);
    const key = session === undefined ? undefined : keyOf(session, request.id);
    if (key !== undefined) {
      running.set(key, cancel);
    }
    const body = await response;
    if (key !== undefined && running.get(key) === cancel) {
      running.delete(key);
    }
    if (body === undefined) {
      return ACCEPTED;
    }
    // Errors have statuses since revision 2026-07-28.
    const code = era === "modern" && "error" in body ? body.error.code : undefined;
    return { status: code === METHOD_NOT_FOUND ? 404 : code !== undefined && isRejected ? 400 : 200, body };
  };
}

const ACCEPTED: MessageResponse = { status: 202 };

function rejection(status: number, error: RpcError, id?: RpcId): MessageResponse {
  return { status, body: rpcErrorOf(error, id) };
}

const INVALID_INITIALIZE: RpcError = {
  code: -32_602,
  message: "initialize needs the params protocolVersion, capabilities and clientInfo (with name and version)",
};

const VERSIONS = [MODERN, ...SUPPORTED_PROTOCOL_VERSIONS];

/** Whether a message is of the revision 2026-07-28 or of those before, or why it is neither, or not valid. */
function eraOf(
  message: object,
  request: JSONRPCRequest | undefined,
  header: MessageSource["header"],
): "modern" | "legacy" | (RpcError & { readonly status: number }) {
  const [version, method] = [header?.("mcp-protocol-version"), header?.("mcp-method")];
  const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
  const claimed = request?.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  // Of the common cases, the package would validate each message once more, which takes longer than most calls.
  if (request !== undefined && claimed === undefined && isKnown) {
    return "legacy";
  }
  if (claimed === MODERN && (header === undefined || (version === MODERN && method === request?.method))) {
    const name = request?.params?.name;
    const isNamed = header === undefined || name === undefined || decoded(header("mcp-name")) === name;
    return isNamed ? "modern" : HEADER_MISMATCH;
  }
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  });
  if (route.kind === "reject") {
    return { ...route, status: route.httpStatus };
  }
  if (route.kind === "legacy") {
    return isKnown ? "legacy" : unknownVersion(SERVER_ERROR, version);
  }
  const { revision } = route.classification;
  if (revision !== MODERN) {
    return unknownVersion(UNSUPPORTED_VERSION, revision);
  }
  return route.messageKind === "notification" ? "modern" : HEADER_MISMATCH;
}

/** The `UnsupportedProtocolVersion` of revision 2026-07-28. */
const UNSUPPORTED_VERSION = -32_022;

function unknownVersion(code: number, requested: string | undefined) {
  const message = `unknown protocol version; allowed: ${VERSIONS.join(", ")}`;
  return { status: 400, code, message, data: { supported: VERSIONS, requested } };
}

/** The `HeaderMismatch` of revision 2026-07-28. */
const HEADER_MISMATCH = {
  status: 400,
  code: -32_020,
  message: "the headers mcp-protocol-version, mcp-method and mcp-name must be as in the message",
};

/** The value of a header that can be in base64, as `=?base64?…?=`. */
function decoded(value = ""): string {
  const [, base64] = /^=\?base64\?([\w+/]*=*)\?=$/i.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

function keyOf(session: string | undefined, id: RpcId): string {
  return `${session} ${JSON.stringify(id)}`;
}
