// Loaded into the process of a service. Between the messages `begin` and `end`, it measures the processor time of the main thread in each
// iteration of the event loop. Linux counts it in ticks of 1 to 4 ms, so the time on the clock counts where it is shorter.
import { openSync, readSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Iterations of a loop that takes about 10 ms of a processor like that of CI. */
const LOOP = 5_000_000;

const delay = monitorEventLoopDelay({ resolution: 1 });
let isOn = false;
let longest = 0;
let clock = 0;
let used = 0;

/** Its first number is the nanoseconds of the main thread. */
const file = openSync(`/proc/self/task/${process.pid}/schedstat`);
const bytes = Buffer.alloc(64);

function processorTime() {
  return Number.parseInt(bytes.latin1Slice(0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;
}

function look() {
  const [now, usedNow] = [performance.now(), processorTime()];
  longest = Math.max(longest, Math.min(now - clock, usedNow - used));
  [clock, used] = [now, usedNow];
  if (isOn) {
    setImmediate(look);
  }
}

/** The least milliseconds of the known loop. */
function calibrate() {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 20; run++) {
    const start = performance.now();
    let state = 1;
    for (let step = 0; step < LOOP; step++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) ^ (state >>> 7);
    }
    least = Math.min(least, performance.now() - start + (state === 0 ? 1 : 0));
  }
  return least;
}

process.on("message", (message) => {
  switch (message) {
    case "begin":
      delay.reset();
      delay.enable();
      isOn = true;
      [clock, used, longest] = [performance.now(), processorTime(), 0];
      setImmediate(() => {
        longest = 0;
        look();
      });
      break;
    case "end":
      isOn = false;
      delay.disable();
      process.send?.({ longest, delay: delay.max / 1e6 });
      break;
    default:
      process.send?.({ loop: calibrate() });
  }
});
process.once("disconnect", () => process.exit(1));
process.channel?.unref();
