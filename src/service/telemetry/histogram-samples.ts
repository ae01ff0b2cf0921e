/** One sample of a histogram, as the client library has it: `metricName` is the name of the series. */
export interface HistogramSample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * The samples of a histogram with one set of labels: of every bound the number of observations up to it, then their sum and
 * their number. `counts` has what lies between a bound and the one before it, and at last what is above all of them.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#histograms-and-summaries
 */
export function histogramSamples(
  name: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  counts: Float64Array,
  sum: number,
): HistogramSample[] {
  let total = 0;
  const buckets = Array.from(counts, (count, index) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? "+Inf", ...labels }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
