import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { check, conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { createClient } from "connect-transcoding-testing/load/open-loop.js";
import { percentile } from "connect-transcoding-testing/statistics.js";
import { OURS, startService } from "../lib/processes/service.js";
import { COSTLY_REQUESTS, type CostlyRequest, LOADS } from "./costly-requests.js";

// Measures for how long a request blocks the event loop of the built service in one piece, and how long others wait beside many of them.

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});

/** Milliseconds of the known loop of `probe.mjs` on a processor like that of CI. On a slower one, limits are in proportion. */
const LOOP = 8;
/** The maximum milliseconds of a piece. */
const MAX_PIECE = 20;
/** The maximum milliseconds of the service's processor time until a response, for another address and for the same one as the load. */
const MAX_WAIT = { other: 50, same: 100 };
/** The rounds of a request, of which the best counts: in others, garbage of earlier requests is collected. */
const ROUNDS = 3;
const [REQUESTS_PER_ROUND, SECONDS] = values.short ? [4, 3] : [20, 15];
/** The time in milliseconds until the service has built the index of the search. */
const INDEXED = 6_000;
/** The time of a reload in milliseconds. */
const RELOADED = 1_500;
const CONNECTIONS = values.short ? 40 : 1_000;

const service = await startService({
  command: [process.execPath, "--import", join(import.meta.dirname, "probe.mjs"), ...OURS],
  hasMessages: true,
});
const folder = temporaryFolder("waiting");

/** Asks the probe in the process of the service. */
async function ask(message: string): Promise<Record<string, number>> {
  service.process.send(message);
  const [answer] = await once(service.process, "message");
  return answer;
}

/** The milliseconds of processor time of the service's main thread, exact to a tick. */
const processorTime = (): number =>
  Number.parseInt(readFileSync(`/proc/${service.pid}/schedstat`, "latin1"), 10) / 1e6;

/** Measures the longest piece in the best round of some work, and the delay of the event loop in it. */
async function measure(work: () => Promise<void>) {
  let [piece, late] = [Number.POSITIVE_INFINITY, 0];
  for (let round = 0; round <= ROUNDS; round++) {
    service.process.send("begin");
    await work();
    const { longest = 0, delay = 0 } = await ask("end");
    // Code is compiled in the first round.
    if (round > 0 && longest < piece) {
      [piece, late] = [longest, delay];
    }
  }
  return { piece, late };
}

/** Measures a request, and says what the service has responded. */
async function measureRequest({ encoded }: CostlyRequest) {
  const client = createClient(service.url, encoded, () => true, 1, { deadline: 30_000 });
  let response = "";
  const measured = await measure(async () => {
    for (let request = 0; request < REQUESTS_PER_ROUND; request++) {
      const { failure, answer } = await client.send();
      response =
        failure ?? `${answer?.status}${answer?.grpcStatus ? `, grpc-status ${answer.grpcStatus}` : ""}`;
    }
  });
  client.close();
  return { ...measured, response };
}

/** Sends a request on a new connection. Resolves to the processor time of the service until the response, and to the time on the clock. */
function probe(path: string, localAddress: string): Promise<readonly [used: number, passed: number]> {
  return new Promise((resolve, reject) => {
    const [used, started] = [processorTime(), performance.now()];
    const socket = connect({ port: service.port, host: "127.0.0.1", localAddress, noDelay: true });
    socket.once("data", () => {
      resolve([processorTime() - used, performance.now() - started]);
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`the service has closed the connection for ${path}`)));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}

/** Sends requests one after another until a time. Returns the median, the 99th percentile and the worst of both times. */
async function probeUntil(end: number, path: string, localAddress: string) {
  const times: (readonly [number, number])[] = [];
  while (performance.now() < end) {
    times.push(await probe(path, localAddress));
    await wait(5 + (times.length % 10));
  }
  const statistics = (kind: 0 | 1) => {
    const sorted = times.map((each) => each[kind]).toSorted((a, b) => a - b);
    return [0.5, 0.99, 1].map((share) => percentile(sorted, share));
  };
  return { count: times.length, used: statistics(0), passed: statistics(1) };
}

const shown = (numbers: readonly number[]): string => numbers.map((each) => each.toFixed(0)).join(", ");

const { loop = LOOP } = await ask("calibrate");
const slowness = Math.max(1, loop / LOOP);
console.log(`the known loop takes ${loop.toFixed(1)} ms: limits are multiplied by ${slowness.toFixed(2)}`);
await wait(INDEXED);

console.log(
  "\n| Request | Response | Longest piece, ms | Delay of the event loop, ms |\n|---|---|---:|---:|",
);
const pieces: [string, number][] = [];
function printRow(
  name: string,
  response: string,
  { piece, late }: Awaited<ReturnType<typeof measure>>,
): void {
  console.log(`| ${name} | ${response} | ${piece.toFixed(1)} | ${late.toFixed(0)} |`);
  pieces.push([name, piece]);
}
for (const request of COSTLY_REQUESTS.filter(({ name }) => name.includes(values.only))) {
  const { response, ...measured } = await measureRequest(request);
  printRow(request.name, response, measured);
}
if ("a reload".includes(values.only)) {
  const reload = async () => {
    service.process.kill("SIGHUP");
    await wait(RELOADED);
  };
  printRow("a reload", "", await measure(reload));
}
console.log();
for (const [name, piece] of pieces) {
  check(`${name}: at most ${MAX_PIECE} ms in one piece`, piece <= MAX_PIECE * slowness, piece.toFixed(1));
}

for (const [name, bytes] of Object.entries(LOADS).filter(([name]) => name.includes(values.only))) {
  const file = join(folder, "request");
  writeFileSync(file, bytes);
  const load: ChildProcess = fork(
    join(import.meta.dirname, "load.mjs"),
    [`${service.port}`, `${CONNECTIONS}`, file],
    {
      execArgv: [],
    },
  );
  // Node accepts a connection in each iteration.
  await wait(2_000 + 10 * CONNECTIONS);
  const end = performance.now() + SECONDS * 1_000;
  const waits = [
    ["other", "/healthz", "127.0.0.2"],
    ["other", "/v1/geoIp?ip_address=8.8.8.8", "127.0.0.2"],
    ["same", "/healthz", "127.0.0.1"],
    ["same", "/v1/geoIp?ip_address=8.8.8.8", "127.0.0.1"],
  ] as const;
  await Promise.all(
    waits.map(async ([kind, path, address]) => {
      const { count, used, passed } = await probeUntil(end, path, address);
      const found = `${shown(used)} ms of processor time (median, 99 %, worst of ${count}), ${shown(passed)} ms on the clock`;
      const limit = MAX_WAIT[kind];
      check(
        `${name}: ${path} from ${kind === "same" ? "the same" : "another"} address waits ${limit} ms at most: ${found}`,
        (used[2] ?? Number.NaN) <= limit * slowness,
      );
    }),
  );
  load.kill("SIGKILL");
  await wait(1_000);
}
check("the service has shut down", (await service.end()) === 0);
conclude();
process.exit();
