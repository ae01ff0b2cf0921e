import { setTimeout as wait } from "node:timers/promises";

/** Memory in use after a garbage collection, in MiB. */
export async function usedMemory(): Promise<number> {
  // Connections that have failed keep a timer of half a second.
  await wait(1000);
  for (let times = 0; times < 4; times++) {
    globalThis.gc?.();
    await wait(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
