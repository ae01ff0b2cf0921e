/** What a client knows of time and chance. */
export interface World {
  /** Milliseconds on a clock that does not go back. */
  readonly now: () => number;
  /** At least 0, and less than 1. */
  readonly random: () => number;
  /** Resolves after so many milliseconds. Rejects with the signal's reason as soon as that is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The world as it is. */
export const REAL_WORLD: World = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", end);
        resolve();
      }, ms);
      function end(): void {
        clearTimeout(timer);
        reject(signal.reason);
      }
      signal.addEventListener("abort", end, { once: true });
    }),
};
