import { readdir, readFile } from "node:fs/promises";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { type Aggregator, Counter, Gauge, Histogram, type Registry } from "prom-client";

/** How often the event loop is looked at, in milliseconds. */
const LOOP_RESOLUTION = 20;
const NANOSECONDS = 1e-9;
const GC_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/**
 * Adds the metrics of the process and of Node to a registry, by the names that Prometheus's clients give them, so that
 * dashboards for any service of Node show them. The library's own collection cannot be stopped, counts one of
 * several garbage collections, and lists every open socket at each scrape. Returns what stops the measuring.
 */
export function addProcessMetrics(registry: Registry): () => void {
  const registers = [registry];

  function gauge(name: string, help: string, aggregator: Aggregator, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      collect() {
        const value = read();
        if (value !== undefined) {
          this.set(value);
        }
      },
    });
  }

  new Counter({
    name: "process_cpu_seconds_total",
    help: "Time that the processor has spent on the process.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const startedAt = Math.round(performance.timeOrigin) / 1000;
  gauge(
    "process_start_time_seconds",
    "When the process started, in seconds since the Unix epoch.",
    "min",
    () => startedAt,
  );
  gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.", "sum", () =>
    process.memoryUsage.rss(),
  );
  addFileDescriptors(registry);
  gauge("nodejs_heap_size_total_bytes", "Size of V8's heap.", "sum", () => process.memoryUsage().heapTotal);
  gauge(
    "nodejs_heap_size_used_bytes",
    "Used part of V8's heap.",
    "sum",
    () => process.memoryUsage().heapUsed,
  );
  gauge(
    "nodejs_external_memory_bytes",
    "Memory outside V8's heap that objects in it hold.",
    "sum",
    () => process.memoryUsage().external,
  );
  const stopLoop = addEventLoop(registry);
  const stopCollections = addGarbageCollections(registry);
  return () => {
    stopLoop();
    stopCollections();
  };
}

/** Linux alone tells. */
function addFileDescriptors(registry: Registry): void {
  new Gauge({
    name: "process_open_fds",
    help: "Open file descriptors, of which connections are some.",
    registers: [registry],
    async collect() {
      const open = await readdir("/proc/self/fd").catch(() => undefined);
      if (open !== undefined) {
        this.set(open.length);
      }
    },
  });
  new Gauge({
    name: "process_max_fds",
    help: "File descriptors that the process may have open.",
    registers: [registry],
    async collect() {
      const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
      const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
      if (limit !== undefined) {
        this.set(Number(limit));
      }
    },
  });
}

function addEventLoop(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION });
  delays.enable();
  // What is measured is the time from one look to the next, of which the time between looks is no lag.
  const lag = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) && delays.count > 0
      ? Math.max(0, nanoseconds * NANOSECONDS - LOOP_RESOLUTION / 1000)
      : 0;
  const kinds: readonly (readonly [string, string, Aggregator, () => number])[] = [
    ["mean", "Mean", "average", () => delays.mean],
    ["p50", "Median", "average", () => delays.percentile(50)],
    ["p99", "99th percentile", "max", () => delays.percentile(99)],
    ["max", "Longest", "max", () => delays.max],
  ];
  for (const [index, [kind, title, aggregator, read]] of kinds.entries()) {
    new Gauge({
      name: `nodejs_eventloop_lag_${kind}_seconds`,
      help: `${title} of how long the event loop kept what was ready waiting, since the scrape before.`,
      aggregator,
      registers: [registry],
      collect() {
        this.set(lag(read()));
        // They are collected in this order.
        if (index === kinds.length - 1) {
          delays.reset();
        }
      },
    });
  }
  return () => delays.disable();
}

function addGarbageCollections(registry: Registry): () => void {
  const durations = new Histogram({
    name: "nodejs_gc_duration_seconds",
    help: "Time that garbage collections took, by kind.",
    labelNames: ["kind"],
    buckets: GC_BOUNDS,
    registers: [registry],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      durations.observe({ kind: kindOf(entry) }, entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}

function kindOf(entry: object): string {
  const detail = "detail" in entry ? entry.detail : undefined;
  const kind = typeof detail === "object" && detail !== null && "kind" in detail ? Number(detail.kind) : 0;
  return GC_KINDS.get(kind) ?? "other";
}
