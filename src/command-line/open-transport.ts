import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";

/** Where a service is, and what it is told. */
export interface TransportOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
}

/** Opens the way to a service: Connect with binary messages, over HTTP/1.1, which every proxy passes on. */
export function openTransport({ url, apiKey }: TransportOptions): Transport {
  return createConnectTransport({
    baseUrl: url.href.replace(/\/$/, ""),
    httpVersion: "1.1",
    useBinaryFormat: true,
    interceptors:
      apiKey === undefined
        ? []
        : [
            (next) => (request) => {
              request.header.set("authorization", `Bearer ${apiKey}`);
              return next(request);
            },
          ],
  });
}
