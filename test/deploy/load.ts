import { percentile } from "../bench/statistics.js";

/** What came of one request. */
export interface Outcome {
  /** Why it failed; undefined when its answer was the right one. */
  readonly failure: string | undefined;
  /** Whether it was sent once more, as HTTP lets a caller do when its request has certainly or most likely not been read. */
  readonly isResent: boolean;
  /** The port at the caller's end of its connection, as far as that is known. */
  readonly localPort: number | undefined;
}

/** Somebody who sends requests of one protocol. */
export interface Caller {
  /** Sends a request. Never rejects. */
  send(): Promise<Outcome>;
  close(): void;
}

/** How callers reach a server. */
export interface CallerOptions {
  /** The certificate to trust. */
  readonly ca?: string;
  /** Whether requests are sent once more where HTTP allows it. */
  readonly resends?: boolean;
}

/** A request that failed, with when it was sent and when it was known to have failed, by `performance.now`. */
export interface Failed extends Outcome {
  readonly protocol: string;
  readonly sentAt: number;
  readonly failedAt: number;
}

/** What came of some seconds of load. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  /** Requests a second that were sent. */
  readonly rate: number;
  /** How many of them were sent once more. */
  readonly resent: number;
  readonly failed: readonly Failed[];
  readonly p99: number;
  readonly worst: number;
}

/** How often requests that are due are sent, in milliseconds. */
const TICK = 2;

/**
 * Sends requests at a fixed rate, taking turns between callers, whether answers come or not, for as long as `work`
 * takes. Resolves when the last has its answer.
 */
export async function load(
  callers: Readonly<Record<string, Caller>>,
  rate: number,
  work: () => Promise<void>,
): Promise<LoadResult> {
  const turns = Object.entries(callers);
  const durations: number[] = [];
  const failed: Failed[] = [];
  let sent = 0;
  let resent = 0;
  const start = performance.now();
  let allAnswered: () => void = () => undefined;

  function send(): void {
    const [protocol, caller] = turns[sent % turns.length] ?? [];
    if (protocol === undefined || caller === undefined) {
      return;
    }
    sent += 1;
    const sentAt = performance.now();
    void caller.send().then((outcome) => {
      const failedAt = performance.now();
      durations.push(failedAt - sentAt);
      resent += outcome.isResent ? 1 : 0;
      if (outcome.failure !== undefined) {
        failed.push({ ...outcome, protocol, sentAt, failedAt });
      }
      if (durations.length === sent) {
        allAnswered();
      }
    });
  }

  const ticks = setInterval(() => {
    for (let due = Math.floor(((performance.now() - start) * rate) / 1000) - sent; due > 0; due--) {
      send();
    }
  }, TICK);
  try {
    await work();
  } finally {
    clearInterval(ticks);
  }
  const seconds = (performance.now() - start) / 1000;
  if (durations.length < sent) {
    await new Promise<void>((resolve) => {
      allAnswered = resolve;
    });
  }
  for (const caller of Object.values(callers)) {
    caller.close();
  }
  const sorted = durations.toSorted((a, b) => a - b);
  return {
    requests: sent,
    rate: sent / seconds,
    resent,
    failed,
    p99: percentile(sorted, 0.99),
    worst: percentile(sorted, 1),
  };
}
