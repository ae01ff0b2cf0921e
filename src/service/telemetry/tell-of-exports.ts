import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Logger } from "pino";

/** The result of an export: 0 for success (`ExportResultCode` of OpenTelemetry). */
type ExportResult = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

const MAX_REASON = 200;

/**
 * Has the log told when an exporter's exports begin to fail and when they work again, each once. What the endpoint answers
 * is not repeated.
 */
export function tellOfExports(
  exporter: SpanExporter,
  endpoint: string,
  logger: Pick<Logger, "info" | "warn">,
): SpanExporter {
  let isFailing = false;

  function note({ code, error }: ExportResult): void {
    const failed = code !== 0;
    if (failed && !isFailing) {
      logger.warn({ endpoint, reason: reasonOf(error) }, "spans cannot be exported");
    } else if (!failed && isFailing) {
      logger.info({ endpoint }, "spans are exported again");
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
  // An error of the network has a code, of which its message tells more; a failure to reach any of a host's addresses has no message.
  const reason = error?.message || error?.code || "unknown";
  return String(reason).slice(0, MAX_REASON);
}
