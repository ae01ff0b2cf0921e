import cluster from "node:cluster";
import { on } from "node:events";
import { AggregatorRegistry, type Registry } from "prom-client";

/** Sent by a worker to request the metrics of all workers, and by the primary process with them, unless that failed. */
interface MetricsMessage {
  readonly kind: "metrics";
  readonly text?: string;
}

/** Milliseconds until a request to the primary process fails: more than the two attempts that it makes. */
const TIMEOUT = 11_000;

const ignore = (): void => undefined;

/** In the primary process, sends the metrics of all workers to each worker that requests them. */
export function serveClusterMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on("message", (worker, { kind }: Partial<MetricsMessage>) => {
    if (kind === "metrics") {
      // Aggregation fails if a worker ends meanwhile, or has just been forked and cannot respond yet.
      void registry
        .clusterMetrics()
        .catch(() => registry.clusterMetrics())
        .then(
          (text) => worker.send({ kind, text }, ignore),
          () => worker.send({ kind }, ignore),
        );
    }
  });
}

/** Returns a function that writes the metrics of this process, or of all workers if it is a worker, as text. */
export function metricsWriter(registry: Registry): () => Promise<string> {
  const { worker } = cluster;
  if (worker === undefined) {
    return () => registry.metrics();
  }
  AggregatorRegistry.setRegistries(registry);
  // The constructor adds the listener that sends this worker's metrics to the primary process.
  new AggregatorRegistry();
  return async () => {
    const messages = on(worker, "message", { signal: AbortSignal.timeout(TIMEOUT) });
    worker.send({ kind: "metrics" } satisfies MetricsMessage, ignore);
    for await (const [{ kind, text }] of messages as AsyncIterable<[Partial<MetricsMessage>]>) {
      if (kind === "metrics" && text !== undefined) {
        return text;
      }
      if (kind === "metrics") {
        break;
      }
    }
    throw new Error("the primary process could not collect the metrics of all workers");
  };
}
