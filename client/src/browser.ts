import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
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
export { type ClientOptions, DEFAULT_TIMEOUT, INVALID_API_KEY, isApiKey } from "./options.js";

/** Options of a client for browsers. */
export interface BrowserClientOptions extends ClientTransportOptions {
  /** Default: `connect`. */
  readonly protocol?: "connect" | "grpc-web" | undefined;
  /** Replaces the global `fetch`, for example to send cookies. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Creates a client of all services for browsers and other runtimes with `fetch`.
 *
 * @param url URL of the service: `http://127.0.0.1:8080`, or a URL relative to the page, such as `/`. Redirects are not followed, so
 *   that an API key is never sent to another server.
 * @throws TypeError, RangeError or ConnectError if the URL or an option is invalid
 */
export function createUtilityToolsClient(
  url: string | URL,
  options: BrowserClientOptions = {},
): UtilityToolsClient {
  checkNames("createUtilityToolsClient", options, {
    ...TRANSPORT_OPTIONS,
    protocol: true,
    fetch: true,
  });
  const transport = withUnavailable(createTransport(serviceUrl(url), options), isNetworkError);
  return createClientOver(transport, sharedOptions(options));
}

function createTransport(baseUrl: string, options: BrowserClientOptions): Transport {
  const { protocol = "connect", binary = true, httpGet = false, interceptors = [], fetch } = options;
  const common = {
    baseUrl,
    useBinaryFormat: binary,
    interceptors: [...interceptors],
    ...(fetch === undefined ? {} : { fetch }),
  };
  switch (protocol) {
    case "connect":
      return createConnectTransport({ ...common, useHttpGet: httpGet });
    case "grpc-web":
      return createGrpcWebTransport(common);
    default:
      throw new TypeError(
        'protocol must be "connect" or "grpc-web": browsers do not expose the trailers that gRPC needs',
      );
  }
}

/** `fetch` rejects with a `TypeError` only if there was no response (Fetch Standard, "network error"). */
function isNetworkError({ cause }: { readonly cause: unknown }): boolean {
  return cause instanceof TypeError;
}
