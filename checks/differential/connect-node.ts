import { randomAt, readRunArguments } from "../fuzz/random.js";
import { type AnyCall, anyCall, type Observation, observeCall, UNANSWERED } from "./calls/calls.js";
import { type Difference, differencesOf } from "./calls/compare.js";
import { DELIBERATE_IN_CALLS, type Seen } from "./calls/deliberate.js";
import { DELIBERATE_IN_RAW } from "./calls/deliberate-raw.js";
import { observeRaw } from "./calls/raw-client.js";
import { anyRawRequest, type RawRequest } from "./calls/raw-requests.js";
import { type ComparedServer, startConnectNode, startOurs } from "./calls/servers.js";

// Makes random calls of every kind and protocol, valid and malformed, to our server and to connect-node, and compares what the
// clients and the handlers see: `npm run check -- differential/calls --count 3000 --seed 1`. To repeat a single call: `--from 4711
// --count 1`.

/** Concurrent calls. */
const WORKERS = 12;
/** The run ends after this many differences. */
const MAX_DIFFERENCES = 40;

const { count, from, seed } = readRunArguments();

async function main(): Promise<number> {
  const begun = performance.now();
  const servers = await Promise.all([startOurs(), startConnectNode()]);
  const known = new Map<string, number>();
  const doubtful: { readonly index: number; readonly hangs: boolean }[] = [];
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count && doubtful.length < MAX_DIFFERENCES) {
      const index = next++;
      const { any, differences, kinds, hangs } = await compareOne(servers, index);
      for (const kind of kinds) {
        known.set(kind, (known.get(kind) ?? 0) + 1);
      }
      if (differences.length > 0) {
        doubtful.push({ index, hangs });
        console.log(`call ${index} is repeated`);
        print(index, any, differences);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  let failures = 0;
  // One after another: neither a busy machine nor a connection that another call has used is the cause. A call that does not
  // end has no excuse if it is ours.
  for (const { index, hangs } of doubtful) {
    const { any, differences } = await compareOne(servers, index);
    if (differences.length > 0 || hangs) {
      failures++;
      print(index, any, differences);
    }
  }
  for (const { name, reason } of [...DELIBERATE_IN_CALLS, ...DELIBERATE_IN_RAW]) {
    console.log(`deliberate, ${known.get(name) ?? 0} times: ${name}: ${reason}`);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${next - from} calls, ${failures} differ, ${seconds} s`);
  return failures === 0 ? 0 : 1;
}

/** A call with the differences that are not on purpose, and the names of those that are. */
interface Outcome {
  readonly any: AnyCall | RawRequest;
  readonly differences: readonly Difference[];
  readonly kinds: readonly string[];
  /** Whether the call, or its handler, has not ended on our server. */
  readonly hangs: boolean;
}

/** The number of calls, which identifies each. */
let calls = 0;

async function compareOne(
  servers: readonly [ours: ComparedServer, theirs: ComparedServer],
  index: number,
): Promise<Outcome> {
  const random = randomAt(seed, index);
  const any = random.oneIn(3) ? anyRawRequest(random) : anyCall(random);
  const id = String(calls++);
  const [ours, theirs] = await Promise.all([observe(servers[0], any, id), observe(servers[1], any, id)]);
  if (count === 1) {
    console.log(JSON.stringify({ ...any, method: any.method.name, ours, theirs }, undefined, 1));
  }
  const all = differencesOf(ours, theirs);
  if (ours.running !== 0) {
    all.push({ path: "handlers of ours that still run", ours: ours.running, theirs: 0 });
  }
  const seen = { ours: Object(ours.client), theirs: Object(theirs.client) };
  const kinds = all.map((difference) => kindOf(difference, any, seen));
  return {
    any,
    differences: all.filter((_, at) => kinds[at] === undefined),
    kinds: kinds.filter((kind) => kind !== undefined),
    hangs: ours.running !== 0 || isUnanswered(seen.ours),
  };
}

function isUnanswered({ error, failure }: Seen["ours"]): boolean {
  return error === UNANSWERED || failure === "Error: timeout";
}

function kindOf(difference: Difference, any: AnyCall | RawRequest, seen: Seen): string | undefined {
  const kind =
    any.kind === "call"
      ? DELIBERATE_IN_CALLS.find(({ matches }) => matches(difference, any, seen))
      : DELIBERATE_IN_RAW.find(({ matches }) => matches(difference, any, seen));
  return kind?.name;
}

function observe(server: ComparedServer, any: AnyCall | RawRequest, id: string): Promise<Observation> {
  return any.kind === "call" ? observeCall(server, any, id) : observeRaw(server, any, id);
}

function print(index: number, any: AnyCall | RawRequest, differences: readonly Difference[]): void {
  const how =
    any.kind === "call"
      ? JSON.stringify(any.client)
      : `${any.protocol} ${any.isBinary} HTTP/${any.http} ${any.httpMethod}: ${any.changes.join(", ")}`;
  console.error(`DIFFERENCE in call ${index}, ${any.method.name}, ${how}`);
  console.error(`  --seed ${seed} --from ${index} --count 1`);
  for (const { path, ours, theirs } of differences.slice(0, 8)) {
    console.error(`  ${path}: ${short(ours)} instead of ${short(theirs)}`);
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

process.exit(await main());
