import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import type { TransportOptions } from "./client-options.js";
import { createClientOver, type UtilityToolsClient } from "./client-over.js";
import { serviceUrl } from "./service-url.js";
import { namingUnreachable } from "./unreachable.js";

export * from "./shared.js";

/** What a client in a browser goes by. */
export interface BrowserClientOptions extends TransportOptions {
  /** Default: `connect`. */
  readonly protocol?: "connect" | "grpc-web" | undefined;
  /** In the place of the global `fetch`: for cookies, say. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Makes a client of all services for browsers, and whatever else has `fetch`.
 *
 * @param url Where the service is: `http://127.0.0.1:8080`, or a URL relative to the page, such as `/`. Redirects are not
 *   followed, so that no key goes anywhere else.
 * @throws where the URL or an option cannot be right.
 */
export function createUtilityToolsClient(
  url: string | URL,
  options: BrowserClientOptions = {},
): UtilityToolsClient {
  const { protocol = "connect", binary = true, httpGet = false, interceptors = [], fetch } = options;
  const common = {
    baseUrl: serviceUrl(url),
    useBinaryFormat: binary,
    interceptors: [...interceptors],
    ...(fetch === undefined ? {} : { fetch }),
  };
  switch (protocol) {
    case "connect":
      return over(createConnectTransport({ ...common, useHttpGet: httpGet }), options);
    case "grpc-web":
      return over(createGrpcWebTransport(common), options);
    default:
      throw new TypeError(
        'protocol must be "connect" or "grpc-web": gRPC takes trailers, which browsers give to no script',
      );
  }
}

function over(transport: Parameters<typeof createClientOver>[0], options: BrowserClientOptions) {
  // fetch rejects with a TypeError, and nothing else, where there was no answer (Fetch Standard, "network error").
  const isUnreachable = ({ cause }: { cause: unknown }) => cause instanceof TypeError;
  return createClientOver(namingUnreachable(transport, isUnreachable), options);
}
