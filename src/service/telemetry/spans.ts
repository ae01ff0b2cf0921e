import type { RequestObserver } from "connect-transcoding";
import type { Logger } from "pino";
import { describeSpan } from "./span-attributes.js";
import { tellOfExports } from "./tell-of-exports.js";
import { parseTraceparent } from "./traceparent.js";

/** What spans are made of and where they go. */
export interface SpansOptions {
  /** The base URL of an OTLP/HTTP receiver. */
  readonly endpoint: URL;
  /** The version of the service. */
  readonly version: string;
  /** Is told when the receiver cannot be reached, and when it can be again. */
  readonly logger: Pick<Logger, "info" | "warn">;
}

/** The spans of a process. */
export interface Spans {
  /** Makes one span a request. */
  readonly observer: RequestObserver;
  /** Sends what has not been sent yet, for {@link SHUTDOWN_LIMIT} milliseconds at the most. Never rejects. */
  shutdown(this: void): Promise<void>;
}

/** Milliseconds that an export may take with all its tries, so that none is left long after the process wants to end. */
const EXPORT_LIMIT = 2000;
/** Milliseconds that the end of the process waits for spans. */
export const SHUTDOWN_LIMIT = 1500;

/**
 * Starts to export a span of kind SERVER for each request, as a child of the caller's span if `traceparent` names one,
 * and not at all if that says that the trace is not sampled. OpenTelemetry's packages are loaded here and only here: they take time and
 * memory that a service without spans need not spend. They read the environment for their part (`OTEL_SERVICE_NAME`,
 * `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_BSP_*`, `OTEL_EXPORTER_OTLP_HEADERS`). At most as many spans wait as
 * `OTEL_BSP_MAX_QUEUE_SIZE` says, 2,048 by default; more are dropped.
 */
export async function startSpans({ endpoint, version, logger }: SpansOptions): Promise<Spans> {
  const [api, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = api;
  const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: EXPORT_LIMIT });
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(
        resources.resourceFromAttributes({ "service.name": "utility-tools", "service.version": version }),
      )
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [
      new sdk.BatchSpanProcessor(tellOfExports(exporter, endpoint.host, logger), {
        exportTimeoutMillis: 2 * EXPORT_LIMIT,
      }),
    ],
  });
  const tracer = provider.getTracer("utility-tools", version);

  function parentContext(header: string | undefined) {
    const parent = parseTraceparent(header);
    return parent === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId: parent.traceId,
          spanId: parent.parentId,
          traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
          isRemote: true,
        });
  }

  return {
    observer: {
      onEnd: (record) => {
        const { name, attributes, isError } = describeSpan(record);
        const { startedAt, duration } = record;
        const span = tracer.startSpan(
          name,
          { kind: SpanKind.SERVER, startTime: startedAt, attributes },
          parentContext(record.header("traceparent")),
        );
        if (isError) {
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end(startedAt + duration);
      },
    },
    shutdown: () => atMost(SHUTDOWN_LIMIT, provider.shutdown()),
  };
}

/**
 * Where spans go, given the base URL of a receiver.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp
 */
export function tracesUrl(endpoint: URL): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

/** Resolves when a promise is settled, or after some milliseconds. */
function atMost(limit: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limit);
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    promise.then(settle, settle);
  });
}
