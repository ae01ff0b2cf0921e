import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "./metrics.js";

/**
 * Makes one text in the format of Prometheus of the metrics of several processes: counters, histograms and most gauges are
 * summed, for the others see where each metric is made.
 */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
