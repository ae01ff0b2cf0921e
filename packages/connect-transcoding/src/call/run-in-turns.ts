import type { HandlerContext } from "@connectrpc/connect";
import { COSTLY_CALL, clientQueue, createQueue, turns } from "@utility-tools/http-server/portable";
import { clientAddressKey, queueKey } from "./context-keys.js";

/**
 * Runs a costly computation of a handler in steps, so that other clients do not wait for all of it. Each step should take a few
 * milliseconds at most. Returns the result at once if the event loop has time for all steps, and a promise otherwise.
 *
 * Throws or rejects with what a step throws, and with the reason of `context.signal` once the client has disconnected or the
 * deadline has expired.
 *
 * @param steps returns the iterator of the steps; the value that it returns is the result
 *
 * @example
 * batchLookup: ({ names }, context) =>
 *   runInTurns(context, function* () {
 *     const results = [];
 *     for (const name of names) {
 *       results.push(lookup(name));
 *       yield;
 *     }
 *     return { results };
 *   }),
 */
export function runInTurns<T>(context: HandlerContext, steps: () => Iterator<void, T>): T | Promise<T> {
  const iterator = steps();
  const { signal, values } = context;
  const queue = values.get(queueKey) ?? createQueue(clientQueue(values.get(clientAddressKey)));
  const timeLeft = turns.yields({ queue }, COSTLY_CALL) ? 0 : turns.timeLeft();
  if (timeLeft > 0) {
    const result = runUntil(iterator, performance.now() + timeLeft);
    if (result.done === true) {
      return result.value;
    }
  }
  return new Promise((resolve, reject) => {
    turns.resume(queue, (until) => {
      try {
        signal.throwIfAborted();
        const result = runUntil(iterator, until);
        if (result.done === true) {
          resolve(result.value);
        }
        return result.done === true;
      } catch (error) {
        reject(error);
        return true;
      }
    });
  });
}

/** Runs at least one step. */
function runUntil<T>(iterator: Iterator<void, T>, until: number): IteratorResult<void, T> {
  let result = iterator.next();
  while (result.done !== true && performance.now() < until) {
    result = iterator.next();
  }
  return result;
}
