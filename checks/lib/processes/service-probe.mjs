// Loaded into the process of a service: responds to each message with the state of the process.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on("message", () => {
  const lag = delay.max / 1e6;
  // Only memory that remains after a garbage collection is in use.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ usedMemory: (heapUsed + external) / 2 ** 20, lag });
  delay.reset();
});
process.once("disconnect", () => process.exit(1));
process.channel?.unref();
