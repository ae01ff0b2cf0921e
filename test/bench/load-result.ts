/** What a load tool measured. */
export interface LoadResult {
  /** Answers that came. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** The latency that half of the requests, and 99 % of them, did not exceed, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What makes the figures worthless: broken connections, wrong answers. */
  readonly problems: readonly string[];
}

/** Puts load on the server at a URL for some seconds. */
export type Load = (url: string, seconds: number) => Promise<LoadResult>;

/** How much is sent at once. */
export interface Concurrency {
  readonly connections: number;
  /** Requests under way on each connection. */
  readonly streams: number;
}
