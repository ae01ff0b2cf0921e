import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** One value of OTLP's JSON. */
type AnyValue = { readonly stringValue: string } | { readonly intValue: number | string };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span in OTLP's JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. */
export interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version?: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

export interface ReceivedExport {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Export;
}

/** A receiver of spans by OTLP over HTTP. */
export interface OtlpReceiver {
  readonly url: URL;
  readonly received: ReceivedExport[];
  rejected(): number;
  spans(): OtlpSpan[];
  /** Sets the status of responses; undefined for no response. */
  answerWith(status: number | undefined): void;
  close(): Promise<void>;
}

export async function startReceiver(port = 0): Promise<OtlpReceiver> {
  const received: ReceivedExport[] = [];
  let status: number | undefined = 200;
  let rejected = 0;
  const server = createServer(async (request, response) => {
    const body = await json(request).catch((thrown) => {
      // An exporter that is stopped aborts its request.
      if (request.complete) {
        throw thrown;
      }
    });
    if (body === undefined || status === undefined) {
      return;
    }
    if (status === 200) {
      received.push({ path: request.url, headers: request.headers, body: body as Export });
    } else {
      rejected++;
    }
    response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    received,
    rejected: () => rejected,
    spans: () =>
      received.flatMap(({ body }) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    answerWith: (next) => {
      status = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function plain(attributes: readonly KeyValue[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      "stringValue" in value ? value.stringValue : Number(value.intValue),
    ]),
  );
}
