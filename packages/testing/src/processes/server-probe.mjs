// Loaded into the process of a server: responds to the message `status` with the state of the process. After `reset`, the delays of
// the event loop are new.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on("message", (message) => {
  if (message === "reset") {
    delay.reset();
    return;
  }
  const lag = delay.max / 1e6;
  // Only memory that remains after a garbage collection is in use.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ usedMemory: (heapUsed + external) / 2 ** 20, lag });
  delay.reset();
});
process.once("disconnect", () => process.exit(1));
process.channel?.unref();
