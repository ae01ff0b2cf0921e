import type { MetricsSnapshot } from "./metrics.js";

/** What processes ask one another for snapshots. */
export const METRICS_QUESTION = "metrics";

/** A metric of a snapshot. */
interface SnapshotMetric {
  readonly name: string;
  readonly type: string;
  readonly values: readonly SnapshotSample[];
}

/** A sample of it; `metricName` tells the series of a histogram apart. */
interface SnapshotSample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * What the counters and histograms of processes that have ended come to: `ended` is that of those before, undefined at first,
 * and `last` the latest snapshot of one more. Merged with those of the processes that run, it keeps counters from going back
 * when a process ends: to Prometheus such a counter has begun anew at 0, and all that the others have counted since they
 * started would seem to have just happened.
 * https://prometheus.io/docs/prometheus/latest/querying/functions/#rate
 */
export function addEnded(ended: MetricsSnapshot | undefined, last: MetricsSnapshot): MetricsSnapshot {
  // A gauge tells of now, and the process is no more. The library's types do not say what its snapshots are.
  const counts = (last as SnapshotMetric[]).filter(({ type }) => type === "counter" || type === "histogram");
  const sums = new Map((ended as SnapshotMetric[] | undefined)?.map((metric) => [metric.name, metric]));
  for (const metric of counts) {
    const before = sums.get(metric.name);
    sums.set(metric.name, before === undefined ? metric : sumOf(before, metric));
  }
  return [...sums.values()];
}

function sumOf(first: SnapshotMetric, second: SnapshotMetric): SnapshotMetric {
  const values = new Map(first.values.map((sample) => [seriesOf(sample), sample]));
  for (const sample of second.values) {
    const series = seriesOf(sample);
    values.set(series, { ...sample, value: (values.get(series)?.value ?? 0) + sample.value });
  }
  return { ...second, values: [...values.values()] };
}

/** Processes of one program write labels in one order. */
function seriesOf({ metricName, labels }: SnapshotSample): string {
  return JSON.stringify([metricName, labels]);
}
