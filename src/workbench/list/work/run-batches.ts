import type { Result } from "../../../failures/result.js";
import { isServiceWide, type ShownError } from "../../kit/service/errors.js";

/** The work of {@link runBatches}. */
export interface BatchJob<T> {
  readonly inputs: readonly string[];
  /** The largest number of inputs in a batch. */
  readonly maxItems: number;
  /** How many batches are sent at the same time. Default: 2. */
  readonly concurrency?: number;
  /** Sends one batch. Returns one result per input, in order. May throw when `signal` is aborted. */
  readonly send: (inputs: readonly string[]) => Promise<Result<readonly T[], ShownError>>;
  /** Called with each batch and its results, in any order of the batches. */
  readonly onResults: (inputs: readonly string[], results: readonly T[]) => void;
  /** Called with the delay in milliseconds before a batch is sent again. */
  readonly onWait: (delay: number, error: ShownError) => void;
  /** Stops the work. */
  readonly signal: AbortSignal;
}

/** How many batches are sent at the same time, unless the job says otherwise. */
const CONCURRENCY = 2;

/** The largest size of a batch in bytes. The service accepts 65,536 by default, with a few bytes per item for the encoding. */
const MAX_BYTES = 60_000;
const BYTES_PER_ITEM = 8;

/** How often in succession a batch is sent again when the service does not respond. The delay doubles each time. */
const MAX_RETRIES = 4;
/** The shortest delay in milliseconds. */
const FIRST_DELAY = 1_000;

/**
 * Sends many inputs in batches. Waits as long as the service asks when it receives too many requests (`Retry-After`), retries when it
 * does not respond, and uses smaller batches if it rejects the size. Resolves to the error that ended the work; undefined if all
 * results arrived or `signal` was aborted.
 */
export async function runBatches<T>(job: BatchJob<T>): Promise<ShownError | undefined> {
  const { maxItems, send, onResults, onWait, signal } = job;
  let queue = splitBatches(job.inputs, maxItems);
  let failure: ShownError | undefined;
  /** While it is pending, no batch is sent. */
  let pause: Promise<void> | undefined;

  async function work(): Promise<void> {
    let retries = 0;
    while (failure === undefined && !signal.aborted) {
      await pause;
      const batch = signal.aborted ? undefined : queue.shift();
      if (batch === undefined) {
        return;
      }
      const result = await send(batch);
      if (result.ok) {
        retries = 0;
        onResults(batch, result.value);
        continue;
      }
      const error = result.failure;
      if (isTooLarge(error) && batch.length > 1) {
        queue = splitBatches([batch, ...queue].flat(), Math.ceil(batch.length / 2));
        continue;
      }
      const delay = delayAfter(error, retries++);
      if (delay === undefined) {
        failure = error;
        return;
      }
      queue.unshift(batch);
      onWait(delay, error);
      pause = sleep(delay, signal);
    }
  }

  try {
    await Promise.all(Array.from({ length: job.concurrency ?? CONCURRENCY }, work));
  } catch (thrown) {
    if (!signal.aborted) {
      throw thrown;
    }
  }
  return failure;
}

/** Splits inputs into batches of at most `maxItems` inputs and about {@link MAX_BYTES} bytes. */
export function splitBatches(inputs: readonly string[], maxItems: number): string[][] {
  const encoder = new TextEncoder();
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const input of inputs) {
    const size = encoder.encode(input).length + BYTES_PER_ITEM;
    if (batch.length > 0 && (batch.length >= maxItems || bytes + size > MAX_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(input);
    bytes += size;
  }
  return batch.length === 0 ? batches : [...batches, batch];
}

/** Returns whether the service rejects the size of a batch: a rate limit can allow fewer items than the schema. */
function isTooLarge({ code, reason, violations }: ShownError): boolean {
  return (
    violations.some((violation) => violation.reason === "TOO_MANY_ITEMS") ||
    (code === "RESOURCE_EXHAUSTED" && reason !== "RATE_LIMIT_EXCEEDED")
  );
}

/** Returns the milliseconds to wait before a batch is sent again; undefined if that does not help. */
function delayAfter(error: ShownError, retries: number): number | undefined {
  if (error.reason === "RATE_LIMIT_EXCEEDED") {
    return Math.max(error.retryAfter ?? 0, FIRST_DELAY);
  }
  return isServiceWide(error) && error.code !== "UNAUTHENTICATED" && retries < MAX_RETRIES
    ? Math.max(error.retryAfter ?? 0, FIRST_DELAY * 2 ** retries)
    : undefined;
}

/** Resolves after a delay in milliseconds, or when the signal is aborted. */
function sleep(delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, delay);
    signal.addEventListener("abort", finish);
  });
}
