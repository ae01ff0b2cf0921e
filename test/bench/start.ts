import { parseArgs } from "node:util";
import { OURS, startProcess } from "./server-process.js";
import { median } from "./statistics.js";

// Measures the time from the start of the process to readiness: `npm run bench:start`.

const { values } = parseArgs({ options: { starts: { type: "string", default: "10" } } });

const times: number[] = [];
for (let start = 0; start < Number(values.starts); start++) {
  const server = await startProcess(OURS);
  times.push(server.readyAfter);
  await server.stop();
}
console.log(`ready after ${times.map((time) => Math.round(time)).join(", ")} ms`);
console.log(`median: ${Math.round(median(times))} ms`);
