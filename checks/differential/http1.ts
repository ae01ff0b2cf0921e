import { parseArgs } from "node:util";
import { randomAt } from "../fuzz/random.js";
import { anyCase, type Case, splitAnywhere } from "./cases.js";
import { compareReadings, differenceOfSplit } from "./compare.js";
import { startOurs } from "./ours.js";
import { PEERS } from "./peers.js";
import type { Reading, ReadingServer } from "./reading.js";
import { createReport, describeBytes, kindOf, printExchange } from "./report.js";
import { readBy } from "./send.js";

// Sends mutated HTTP/1.1 requests to our server, whole and split, and to other servers, and compares what they read:
// `npm run check -- differential/http1 --count 3000 --seed 1 --peers node,nginx`. To repeat a single case: `--from 4711 --count 1`.

/** Concurrent cases. */
const WORKERS = 64;
/** The time without any event after which a server waits for more bytes, in milliseconds. */
const QUIET_TIME = 250;
/** The same, and the concurrent cases, when cases that differ are repeated. They exclude a busy machine as the cause. */
const LONG_QUIET_TIME = 5_000;
const WORKERS_AGAIN = 16;
/** The run ends after this many differences. */
const MAX_DIFFERENCES = 100;

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    peers: { type: "string", default: Object.keys(PEERS).join(",") },
    classes: { type: "boolean", default: false },
  },
});
const [count, from, seed] = [Number(options.count), Number(options.from), Number(options.seed)];
if (![count, from, seed].every(Number.isSafeInteger)) {
  throw new Error("--count, --from and --seed must be integers");
}

/** What all servers have read of a case. */
interface Exchange {
  readonly index: number;
  readonly sent: Case;
  readonly whole: Reading;
  readonly split: Reading;
  readonly others: readonly Reading[];
}

async function main(): Promise<void> {
  const ours = await startOurs();
  const peers = await startPeers();
  const begun = performance.now();
  const report = createReport(["ours", ...peers.map(({ name }) => name)]);
  const doubtful: number[] = [];
  await inParallel(WORKERS, indices(), async (index) => {
    const exchange = await send(index, QUIET_TIME);
    if (problemsOf(exchange).length > 0) {
      doubtful.push(index);
    } else {
      add(exchange);
    }
  });
  doubtful.sort((a, b) => a - b);
  console.log(`${doubtful.length} cases are repeated`);
  let differences = 0;
  await inParallel(WORKERS_AGAIN, doubtful.values(), async (index) => {
    if (differences >= MAX_DIFFERENCES) {
      return;
    }
    const exchange = await send(index, LONG_QUIET_TIME);
    const problems = problemsOf(exchange);
    differences += problems.length > 0 ? 1 : 0;
    for (const problem of problems) {
      console.error(
        `DIFFERENCE in case ${index} (${exchange.sent.labels.join("; ") || "plain"}): ${problem}`,
      );
      console.error(`  --seed ${seed} --from ${index} --count 1: ${describeBytes(exchange.sent.bytes)}`);
    }
    add(exchange);
  });
  await Promise.all([ours, ...peers].map((server) => server.close()));
  report.print(options.classes);
  console.log(`${((performance.now() - begun) / 1000).toFixed(0)} s`);
  console.log(`${count} cases, ${differences} differences`);
  process.exit(differences === 0 ? 0 : 1);

  async function send(index: number, quietTime: number): Promise<Exchange> {
    const random = randomAt(seed, index);
    const sent = anyCase(random);
    const pieces = splitAnywhere(random, sent.bytes);
    const [whole, split, ...others] = await Promise.all([
      readBy(ours, [sent.bytes], quietTime),
      readBy(ours, pieces, quietTime),
      ...peers.map((peer) => readBy(peer, [sent.bytes], quietTime)),
    ]);
    const exchange = { index, sent, whole, split, others };
    if (count === 1) {
      printExchange(sent.bytes, pieces, [whole, split, ...others]);
    }
    return exchange;
  }

  function problemsOf({ sent, whole, split, others }: Exchange): string[] {
    const problems: string[] = [];
    const bySplit = differenceOfSplit(whole, split);
    if (bySplit !== undefined) {
      problems.push(`split: ${bySplit}`);
    }
    for (const [at, other] of others.entries()) {
      const name = peers[at]?.name ?? "";
      const relation = compareReadings(whole, other);
      if (relation.kind === "same" || kindOf(relation, name, sent.bytes) !== undefined) {
        continue;
      }
      problems.push(`${name}: ${relation.kind === "difference" ? relation.what : refusal(other)}`);
    }
    return problems;
  }

  function add({ index, sent, whole, others }: Exchange): void {
    report.add(index, sent, [whole, ...others]);
  }
}

function refusal({ end, status, requests }: Reading): string {
  return `${end} (${status}) after ${requests.length} requests, without a known reason`;
}

async function startPeers(): Promise<ReadingServer[]> {
  const servers: ReadingServer[] = [];
  for (const name of options.peers.split(",").filter((each) => each !== "")) {
    const start = PEERS[name];
    if (start === undefined) {
      throw new Error(`--peers has an unknown name: ${name}`);
    }
    const server = await start();
    if (server !== undefined) {
      servers.push(server);
    }
  }
  return servers;
}

function* indices(): Generator<number> {
  const progress = Math.max(Math.floor(count / 10), 1000);
  const begun = performance.now();
  for (let done = 0; done < count; done++) {
    if (done > 0 && done % progress === 0) {
      console.log(`${done} cases after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    }
    yield from + done;
  }
}

async function inParallel(
  workers: number,
  items: Iterator<number>,
  run: (item: number) => Promise<void>,
): Promise<void> {
  async function work(): Promise<void> {
    for (let next = items.next(); next.done !== true; next = items.next()) {
      await run(next.value);
    }
  }
  await Promise.all(Array.from({ length: workers }, work));
}

// The proxies end when this process exits.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}
await main();
