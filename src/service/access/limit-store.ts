/** How much of a limit has been used. */
export interface Consumption {
  /** Requests in the window that is open, with the one that was just counted. */
  readonly count: number;
  /** Milliseconds until the window ends and the count begins anew. */
  readonly resetMs: number;
}

/** Where requests are counted: a window begins with the first request under a key, and lasts for a fixed time. */
export interface LimitStore {
  /**
   * Counts one request. Never fails.
   *
   * @param key whose limit it is; short
   * @param now milliseconds on a clock that does not go back
   */
  consume(key: string, now: number): Consumption | Promise<Consumption>;
}
