import { splitAnywhere } from "../differential/cases.js";
import { differenceOfSplit } from "../differential/compare.js";
import { anyBytes } from "./http1/byte-sequences.js";
import { runConnection, type Use } from "./http1/run-connection.js";
import { randomAt, readRunArguments } from "./random.js";
import { usedMemory } from "./used-memory.js";

// Sends sequences of bytes to a connection of HTTP/1.1 in memory: `npm run check -- fuzz/http1 --count 1000000 --seed 1`. Each connection
// must close, must leave nothing behind, and must have the same requests wherever its bytes are cut. To repeat one: `--seed 1
// --from 4711 --count 1`.

/** The run ends after this many failures. */
const MAX_FAILURES = 10;
/** The maximum growth of memory in use over the last three quarters of a run, in MiB. */
const MAX_GROWTH = 8;

const { count, from, seed } = readRunArguments();
const failures: string[] = [];
const ends = new Map<string, number>();
let requests = 0;

let current = from;
process.on("uncaughtException", (error) => {
  console.error(`FAILED sequence ${current}: uncaught`, error);
  process.exit(1);
});

function fail(index: number, problem: string): void {
  failures.push(`sequence ${index}: ${problem}`);
  console.error(`FAILED sequence ${index}: ${problem}`);
}

async function runOne(index: number): Promise<void> {
  const random = randomAt(seed, index);
  const bytes = anyBytes(random);
  const use: Use = {
    isAsync: random.oneIn(4),
    isSlow: random.oneIn(4),
    end: random.pick(["closes its half", "disconnects", "waits"]),
  };
  const whole = await runConnection([bytes], use);
  const split = await runConnection(splitAnywhere(random, bytes), use);
  for (const problem of [...whole.problems, ...split.problems]) {
    fail(index, problem);
  }
  // A handler that responds before the body has arrived lets the cuts decide whether the connection closes.
  const difference = use.isAsync ? undefined : differenceOfSplit(whole.reading, split.reading);
  if (difference !== undefined) {
    fail(index, `the requests depend on where the bytes are cut: ${difference}`);
  }
  const { end, status } = whole.reading;
  const name = end === "rejected" ? `rejected with ${status}` : end;
  ends.set(name, (ends.get(name) ?? 0) + 1);
  requests += whole.reading.requests.length;
}

async function main(): Promise<void> {
  const begun = performance.now();
  const progress = Math.max(Math.floor(count / 10), 1000);
  let early = 0;
  for (let done = 0; done < count && failures.length < MAX_FAILURES; done++) {
    current = from + done;
    await runOne(current);
    if (done === Math.floor(count / 4)) {
      early = await usedMemory();
    }
    if ((done + 1) % progress === 0) {
      console.log(`${done + 1} sequences after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    }
  }
  const growth = (await usedMemory()) - early;
  if (count >= 1000 && growth > MAX_GROWTH) {
    fail(current, `memory has grown by ${growth.toFixed(1)} MiB`);
  }
  console.log([...ends].map(([end, times]) => `${end}: ${times}`).join(", "));
  console.log(`${requests} requests; memory grew by ${growth.toFixed(1)} MiB`);
  console.log(failures.length === 0 ? "no failures" : `${failures.length} failures; seed ${seed}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

await main();
