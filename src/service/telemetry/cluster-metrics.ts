import cluster from "node:cluster";
import { on } from "node:events";
import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";

/** Sent by a worker to request the metrics of all workers, and by the primary process with them, unless that failed. */
interface MetricsMessage {
  readonly kind: "metrics";
  readonly text?: string;
}

/** Milliseconds until a request to the primary process fails: more than the two attempts that it makes. */
const TIMEOUT = 11_000;

const ignore = (): void => undefined;

/** Creates the metrics that only the primary process can measure. */
export function createPrimaryMetrics(): Registry {
  const registry = new Registry();
  const exits = new Counter({
    name: "utility_tools_worker_exits_total",
    help: "Worker processes that have exited.",
    registers: [registry],
  });
  cluster.on("exit", () => exits.inc());
  // The metrics of workers leave out this metric of prom-client.
  new Gauge({
    name: "process_start_time_seconds",
    help: "Start time of the primary process since unix epoch in seconds.",
    registers: [registry],
  }).set(Math.round(performance.timeOrigin / 1000));
  return registry;
}

/** In the primary process, sends its metrics and those of all workers, aggregated, to each worker that requests them. */
export function serveClusterMetrics(): void {
  const own = createPrimaryMetrics();
  const workers = new AggregatorRegistry();
  const write = oneAtATime(async () => {
    // Aggregation fails if a worker ends meanwhile, or has just been forked and cannot respond yet.
    const text = await workers.clusterMetrics().catch(() => workers.clusterMetrics());
    return `${text}\n${await own.metrics()}`;
  });
  cluster.on("message", (worker, { kind }: Partial<MetricsMessage>) => {
    if (kind === "metrics") {
      write().then(
        (text) => worker.send({ kind, text }, ignore),
        () => worker.send({ kind }, ignore),
      );
    }
  });
}

/**
 * Returns a function that writes the metrics of this process, or of all workers if it is a worker, as text. Concurrent calls
 * get the same text: writing it takes milliseconds, and all workers take part.
 */
export function metricsWriter(registry: Registry): () => Promise<string> {
  const { worker } = cluster;
  if (worker === undefined) {
    return oneAtATime(() => registry.metrics());
  }
  AggregatorRegistry.setRegistries(registry);
  // The constructor adds the listener that sends this worker's metrics to the primary process.
  new AggregatorRegistry();
  return oneAtATime(async () => {
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
    throw new Error("the metrics of some workers could not be collected");
  });
}

/** Returns a function that runs `task`, or returns the promise of a run in progress. */
function oneAtATime<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= task().finally(() => {
      running = undefined;
    });
    return running;
  };
}
