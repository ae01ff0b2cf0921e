import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Code, type ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { createClientOver, type UtilityToolsClient } from "./client.js";
import { withUnavailable } from "./errors.js";
import {
  type ClientTransportOptions,
  checkNames,
  serviceUrl,
  sharedOptions,
  TRANSPORT_OPTIONS,
} from "./options.js";

export { Code, ConnectError } from "@connectrpc/connect";
export * from "@utility-tools/protos/messages.js";
export { createClientOver, methodOf, serviceNameOf, type UtilityToolsClient } from "./client.js";
export { type CallError, readError, type Violation } from "./errors.js";
export {
  type ClientOptions,
  type ClientTransportOptions,
  DEFAULT_TIMEOUT,
  INVALID_API_KEY,
  isApiKey,
} from "./options.js";

export { DEFAULT_RETRIES } from "./retry.js";

/** Options of a client for Node. */
export interface NodeClientOptions extends ClientTransportOptions {
  /**
   * Default: `connect`. Connect and gRPC-Web use HTTP/1.1, which every proxy supports; gRPC uses HTTP/2, over `http:` with prior
   * knowledge.
   */
  readonly protocol?: "connect" | "grpc" | "grpc-web" | undefined;
  /** Maximum number of HTTP/1.1 connections; further calls wait for one. Default: 32. HTTP/2 uses one connection. */
  readonly maxConnections?: number | undefined;
}

/** Longest response, in bytes. The service's longest are some hundred thousand. */
const MAX_RESPONSE = 16 * 1024 * 1024;

/**
 * Creates a client of all services for Node.
 *
 * @param url URL of the service: `http://127.0.0.1:8080`. Redirects are not followed, so that an API key is never sent to another
 *   server.
 * @throws TypeError, RangeError or ConnectError if the URL or an option is invalid
 */
export function createUtilityToolsClient(
  url: string | URL,
  options: NodeClientOptions = {},
): UtilityToolsClient {
  checkNames("createUtilityToolsClient", options, {
    ...TRANSPORT_OPTIONS,
    protocol: true,
    maxConnections: true,
  });
  const { transport, release } = createTransport(serviceUrl(url), options);
  return createClientOver(withUnavailable(transport, isBrokenConnection), sharedOptions(options), release);
}

function createTransport(
  baseUrl: string,
  options: NodeClientOptions,
): { readonly transport: Transport; readonly release: () => void } {
  const { protocol = "connect", binary = true, httpGet = false, interceptors = [] } = options;
  const common = {
    baseUrl,
    useBinaryFormat: binary,
    interceptors: [...interceptors],
    readMaxBytes: MAX_RESPONSE,
  };
  if (protocol === "grpc") {
    const sessionManager = new Http2SessionManager(baseUrl);
    return {
      transport: createGrpcTransport({ ...common, sessionManager }),
      release: () => sessionManager.abort(),
    };
  }
  const Agent = baseUrl.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: options.maxConnections ?? 32 });
  const http1 = { ...common, httpVersion: "1.1" as const, nodeOptions: { agent } };
  const release = () => agent.destroy();
  switch (protocol) {
    case "connect":
      return { transport: createConnectTransport({ ...http1, useHttpGet: httpGet }), release };
    case "grpc-web":
      return { transport: createGrpcWebTransport(http1), release };
    default:
      throw new TypeError('protocol must be "connect", "grpc" or "grpc-web"');
  }
}

/** Codes of Node's errors for connections that broke or could not be made. */
const CONNECTION_ERRORS: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "EPROTO",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
]);

/** Codes of failed TLS handshakes: of OpenSSL, of certificates (https://nodejs.org/api/tls.html#x509-certificate-error-codes), and of Node. */
const TLS_ERROR = /^ERR_(?:SSL|TLS)_|CERT|UNABLE_TO_VERIFY/;

/** connect-node's message for a stream of a broken session: Node closes it as if it were canceled, without a cause. */
const CANCELED_STREAM = /^http\/2 stream closed with error code CANCEL\b/;

/** How deep causes are searched. */
const MAX_CAUSES = 8;

function isBrokenConnection(error: ConnectError): boolean {
  if (error.code === Code.Canceled && CANCELED_STREAM.test(error.rawMessage)) {
    return true;
  }
  let cause: unknown = error.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    const code = "code" in cause ? cause.code : undefined;
    if (CONNECTION_ERRORS.has(code) || (typeof code === "string" && TLS_ERROR.test(code))) {
      return true;
    }
    cause = cause.cause;
  }
  return false;
}
