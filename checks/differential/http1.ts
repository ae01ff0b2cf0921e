import { type Case, readCaseOptions, runCases } from "../lib/cases.js";
import { splitAnywhere } from "../lib/random.js";
import { problemsOf, short } from "./differences.js";
import { compareReadings, compareSplit } from "./http1/compare.js";
import { KNOWN } from "./http1/known.js";
import { readBy } from "./http1/readings.js";
import { anyRequests } from "./http1/requests.js";
import { PEERS, startOurs } from "./http1/servers.js";

// Sends mutated HTTP/1.1 requests to our server, whole and split, and to other servers, and compares what they read.

/** The time without any event after which a server waits for more bytes, in milliseconds, and when a case runs again. */
const QUIET_TIME = 250;
const LONG_QUIET_TIME = 5_000;

const options = readCaseOptions("differential/http1", 100_000);
const ours = await startOurs();
const peers = (await Promise.all(PEERS.map((start) => start()))).filter((peer) => peer !== undefined);

async function compare({ random, isAlone, isAgain, count }: Case): Promise<string[]> {
  const { bytes, labels } = anyRequests(random);
  const pieces = splitAnywhere(random, bytes);
  const quietTime = isAgain ? LONG_QUIET_TIME : QUIET_TIME;
  const [whole, split, ...others] = await Promise.all([
    readBy(ours, [bytes], quietTime),
    readBy(ours, pieces, quietTime),
    ...peers.map((peer) => readBy(peer, [bytes], quietTime)),
  ]);
  const text = bytes.toString("latin1");
  if (isAlone) {
    console.log(`${JSON.stringify(text)}\npieces: ${pieces.map(({ length }) => length).join(" ")}`);
    console.log([whole, split, ...others].map((reading) => JSON.stringify(reading, shown, 1)).join("\n"));
  }
  const problems = problemsOf(compareSplit(whole, split), [], undefined, "split", count);
  for (const [at, other] of others.entries()) {
    const peer = peers[at]?.name ?? "";
    const differences = compareReadings(whole, other);
    const request = differences[0]?.request;
    problems.push(...problemsOf(differences, KNOWN, { peer, request, text }, peer, count));
  }
  return problems.length === 0 ? [] : [...problems, labels.join("; "), short(text, 1500)];
}

function shown(key: string, value: unknown): unknown {
  return key === "body" ? Buffer.concat(value as Buffer[]).toString("latin1") : value;
}

// nginx ends when this process exits.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}
await runCases(options, { run: compare, workers: 64, workersAgain: 16 });
await Promise.all([ours, ...peers].map((server) => server.close()));
process.exit();
