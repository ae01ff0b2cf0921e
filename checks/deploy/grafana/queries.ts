/** The selectors of all queries: of replicas, of their requests, and of requests with a response of limited duration. */
export const REPLICAS = 'job=~"$job", instance=~"$instance"';
export const REQUESTS = `${REPLICAS}, method=~"$method"`;
const LIMITED = `${REQUESTS}, method!~"grpc[.].*"`;
/** The codes of failures of the service itself; clients cause the others. */
export const FAILURES = 'code=~"INTERNAL|UNKNOWN|DATA_LOSS|UNAVAILABLE"';

/** The rate of a counter, per second. */
export const rate = (metric: string, selectors: string) => `rate(${metric}{${selectors}}[$__rate_interval])`;
/** The rate of requests, per second. */
export const requests = (selectors: string) => rate("utility_tools_requests_total", selectors);
/** A quantile of the latency: 0.99 for the duration that 99 of 100 requests do not exceed. `by` always has `le`. */
export const quantile = (q: number, by: string) =>
  `histogram_quantile(${q}, sum by (${by}) (${rate("utility_tools_request_duration_seconds_bucket", LIMITED)}))`;

/** The increase of a counter, of all replicas. */
export function increase(metric: string, selectors = ""): string {
  return `sum(increase(${metric}{${REPLICAS}${selectors}}[$__rate_interval]))`;
}
