import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.js";

/**
 * Makes one text in the format of Prometheus, with the content type of its answer, of the metrics of one or several processes:
 * counters, histograms and most gauges are summed, for the others see where each metric is made.
 */
export async function mergeSnapshots(
  snapshots: readonly MetricsSnapshot[],
): Promise<{ readonly contentType: string; readonly body: string }> {
  const registry = AggregatorRegistry.aggregate([...snapshots]);
  return { contentType: registry.contentType, body: await registry.metrics() };
}
