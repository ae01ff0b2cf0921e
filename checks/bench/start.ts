import { parseArgs } from "node:util";
import { residentMemory } from "../lib/process-state.js";
import { PROCESSORS, versionOf } from "../lib/processors.js";
import { OURS, startService } from "../lib/service.js";
import { median } from "../lib/statistics.js";

// Measures the time from the start of the process to readiness, and the memory then: `npm run check -- bench/start`. With several `--node`,
// their starts alternate.

const { values } = parseArgs({
  options: {
    starts: { type: "string", default: "10" },
    node: { type: "string", multiple: true, default: [process.execPath] },
  },
});

const nodes = values.node.map((program) => {
  return { program, version: versionOf(program), times: [] as number[], memory: [] as number[] };
});
for (let start = 0; start < Number(values.starts); start++) {
  for (const { program, times, memory } of nodes) {
    const server = await startService({ command: [program, ...OURS], processors: PROCESSORS?.server });
    times.push(server.readyAfter);
    memory.push(residentMemory(server.pid));
    await server.end();
  }
}
for (const { version, times, memory } of nodes) {
  console.log(`Node ${version}: ready after ${times.map((time) => Math.round(time)).join(", ")} ms`);
  console.log(`median: ${Math.round(median(times))} ms, ${Math.round(median(memory))} MiB`);
}
