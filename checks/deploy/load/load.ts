import { percentile } from "../../bench/statistics.js";

/** The outcome of a request. */
export interface Outcome {
  /** Why it failed. Undefined if the response was correct. */
  readonly failure: string | undefined;
  /** Whether it was retried, which HTTP permits if the server has not, or most likely not, read the request. */
  readonly isRetried: boolean;
  /** The local port of the connection, if known. */
  readonly localPort: number | undefined;
}

/** A client for one protocol. */
export interface LoadClient {
  /** Sends a request. Never rejects. */
  send(): Promise<Outcome>;
  close(): void;
}

/** How clients connect. */
export interface ClientOptions {
  /** The trusted certificate. */
  readonly ca?: string;
  /** Whether requests are retried where HTTP permits it. */
  readonly retries?: boolean;
  /** Whether some requests have HTTP/1.0, which Envoy rejects by default. */
  readonly http10?: boolean;
}

/** A failed request, with the times of sending and failure (`performance.now`). */
export interface Failed extends Outcome {
  readonly protocol: string;
  readonly sentAt: number;
  readonly failedAt: number;
}

/** The result of a load test. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  /** Sent requests per second. */
  readonly rate: number;
  /** The number of retried requests. */
  readonly retried: number;
  readonly failed: readonly Failed[];
  readonly p99: number;
  readonly worst: number;
}

/** The interval at which due requests are sent, in milliseconds. */
const TICK = 2;

/**
 * Sends requests at a fixed rate, independent of responses, alternating between clients, until `work` completes.
 * Resolves after the last response.
 */
export async function load(
  clients: Readonly<Record<string, LoadClient>>,
  rate: number,
  work: () => Promise<void>,
): Promise<LoadResult> {
  const turns = Object.entries(clients);
  const durations: number[] = [];
  const failed: Failed[] = [];
  let sent = 0;
  let retried = 0;
  const start = performance.now();
  let allAnswered: () => void = () => undefined;

  function send(): void {
    const [protocol, client] = turns[sent % turns.length] ?? [];
    if (protocol === undefined || client === undefined) {
      return;
    }
    sent += 1;
    const sentAt = performance.now();
    void client.send().then((outcome) => {
      const failedAt = performance.now();
      durations.push(failedAt - sentAt);
      retried += outcome.isRetried ? 1 : 0;
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
  for (const client of Object.values(clients)) {
    client.close();
  }
  const sorted = durations.toSorted((a, b) => a - b);
  return {
    requests: sent,
    rate: sent / seconds,
    retried,
    failed,
    p99: percentile(sorted, 0.99),
    worst: percentile(sorted, 1),
  };
}
