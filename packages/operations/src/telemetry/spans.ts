import { Code } from "@connectrpc/connect";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { knownOptions } from "@utility-tools/http-server/portable";
import type { Protocol, RequestObserver, RequestRecord } from "connect-transcoding";
import type { Logger } from "pino";
import { isFailure, knownHttpMethod, MAX_CLIENT_TEXT, outcomeName } from "./outcome.js";

/** The position of a request in a distributed trace, as the client states it. */
export interface Traceparent {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The client's span: 16 lower-case hexadecimal digits, not all zero. */
  readonly parentId: string;
  /** Whether the client may have recorded its span. */
  readonly sampled: boolean;
}

/** Version, trace-id, parent-id and trace-flags. Later versions may add more after another dash. */
const FORMAT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
const SAMPLED = 0x01;

/**
 * Reads a `traceparent` header. Returns undefined for an invalid one, which the specification treats like none. Of later
 * versions, the first four fields are read.
 * https://www.w3.org/TR/trace-context-1/#traceparent-header
 */
export function parseTraceparent(header: string | undefined): Traceparent | undefined {
  const match = header === undefined ? null : FORMAT.exec(header);
  if (match === null) {
    return undefined;
  }
  const [, version = "", traceId = "", parentId = "", flags = "", rest] = match;
  const isVersionValid = version !== "ff" && (version !== "00" || rest === undefined);
  return isVersionValid && !ALL_ZERO.test(traceId) && !ALL_ZERO.test(parentId)
    ? { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
    : undefined;
}

export interface SpanDescription {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** Whether the span's status is an error. */
  readonly isError: boolean;
}

/**
 * The codes that make a server's span an error, for gRPC and for Connect. The HTTP status does not tell: it is always 200
 * for streams.
 * https://opentelemetry.io/docs/specs/semconv/rpc/grpc/, https://opentelemetry.io/docs/specs/semconv/rpc/connect-rpc/
 */
const SERVER_ERRORS: ReadonlySet<Code | undefined> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

const SYSTEMS: Readonly<Partial<Record<Protocol, string>>> = {
  grpc: "grpc",
  "grpc-web": "grpc",
  connect: "connect_rpc",
};

/**
 * Describes a request by OpenTelemetry's semantic conventions for RPC and HTTP servers. Of its target, only the method that
 * was called is included. Attributes of no convention are in `namespace`.
 *
 * @param hasAddresses whether spans have the addresses of clients
 * https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/, https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function describeSpan(record: RequestRecord, namespace: string, hasAddresses = true): SpanDescription {
  const { method, protocol, code, status, clientAddress } = record;
  const system = SYSTEMS[protocol];
  const isError = system === undefined ? isFailure(record) && status >= 500 : SERVER_ERRORS.has(code);
  const httpMethod = knownHttpMethod(record.httpMethod);
  return {
    name:
      method !== undefined
        ? `${method.parent.typeName}/${method.name}`
        : httpMethod === "_OTHER"
          ? "HTTP"
          : httpMethod,
    attributes: {
      "rpc.system": system,
      "rpc.service": method?.parent.typeName,
      "rpc.method": method?.name,
      "rpc.response.status_code": system === undefined ? undefined : outcomeName(record),
      "http.request.method": httpMethod,
      "http.response.status_code": status,
      "error.type": isError ? (code === undefined ? String(status) : outcomeName(record)) : undefined,
      "client.address": clientAddress === "" || !hasAddresses ? undefined : clientAddress,
      "user_agent.original": record.header("user-agent")?.slice(0, MAX_CLIENT_TEXT),
      [`${namespace}.protocol`]: protocol,
      [`${namespace}.principal`]: record.principal,
      [`${namespace}.request_id`]: record.requestId.slice(0, MAX_CLIENT_TEXT),
    },
    isError,
  };
}

/** The result of an export: 0 for success (`ExportResultCode` of OpenTelemetry). */
type ExportResult = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

const MAX_REASON = 200;

/**
 * Wraps an exporter so that the log gets one line when exports begin to fail and one when they succeed again. Responses of
 * the endpoint are not logged.
 */
function logExportFailures(
  exporter: SpanExporter,
  endpoint: string,
  logger: Pick<Logger, "info" | "warn">,
): SpanExporter {
  let isFailing = false;

  function note({ code, error }: ExportResult): void {
    const failed = code !== 0;
    if (failed && !isFailing) {
      logger.warn({ endpoint, reason: reasonOf(error) }, "span export failed");
    } else if (!failed && isFailing) {
      logger.info({ endpoint }, "span export recovered");
    }
    isFailing = failed;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function reasonOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  // Network errors have a message and a code, but the failure to reach any of a host's addresses has only a code.
  const reason = error?.message || error?.code || "unknown";
  return String(reason).slice(0, MAX_REASON);
}

/** The options of {@link startSpans}. */
export interface SpansOptions {
  /** The base URL of an OTLP/HTTP receiver. */
  readonly endpoint: URL;
  /** Whether spans are sent to that URL itself, and not to `/v1/traces` below it. Default: false. */
  readonly isExact?: boolean;
  /** The default of `OTEL_SERVICE_NAME`, for example `utility-tools`. */
  readonly name: string;
  readonly version: string;
  /** Gets a line when exports begin to fail, and when they succeed again. */
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Whether spans have the addresses of clients. Default: true. */
  readonly hasAddresses?: boolean;
}

export interface Spans {
  readonly observer: RequestObserver;
  /** Sends the remaining spans, for at most {@link SHUTDOWN_LIMIT} milliseconds. Never rejects. */
  shutdown(this: void): Promise<void>;
}

/** Milliseconds that an export may take with its retries, so that none delays the end of the process for long. */
const EXPORT_LIMIT = 2000;
/** Milliseconds that the end of the process waits for the export of spans. */
export const SHUTDOWN_LIMIT = 1500;

/**
 * Starts to export a span of kind SERVER per request. A valid `traceparent` makes it a child of the client's span; if that
 * trace is not sampled, there is no span. OpenTelemetry's packages are loaded here, because they take time and memory that a
 * service without spans need not spend. They read the variables that `spanVariableProblems` checks. The queue holds `OTEL_BSP_MAX_QUEUE_SIZE` spans, 2,048
 * by default; more are dropped.
 */
export async function startSpans(options: SpansOptions): Promise<Spans> {
  const {
    endpoint,
    isExact = false,
    name: serviceName,
    version,
    logger,
    hasAddresses,
  } = knownOptions("startSpans", options, {
    endpoint: true,
    isExact: true,
    name: true,
    version: true,
    logger: true,
    hasAddresses: true,
  });
  const [api, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = api;
  const exporter = new OTLPTraceExporter({
    url: isExact ? endpoint.href : tracesUrl(endpoint),
    timeoutMillis: EXPORT_LIMIT,
  });
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ "service.name": serviceName, "service.version": version }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [
      new sdk.BatchSpanProcessor(logExportFailures(exporter, endpoint.host, logger), {
        exportTimeoutMillis: 2 * EXPORT_LIMIT,
      }),
    ],
  });
  const tracer = provider.getTracer(serviceName, version);

  const namespace = serviceName.replaceAll("-", "_");

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
        const { name, attributes, isError } = describeSpan(record, namespace, hasAddresses);
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
 * Returns the URL that spans are sent to, given the base URL of a receiver.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp
 */
export function tracesUrl(endpoint: URL): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

/** Resolves when a promise is settled, or after `limit` milliseconds. */
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
