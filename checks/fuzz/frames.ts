import { damage } from "./damage.js";
import { mutate } from "./frames/mutate.js";
import { runNodeSession } from "./frames/node-session.js";
import { runSession, type SeenRequest, sessionBytes } from "./frames/run-session.js";
import { createSession, encodeFrames } from "./frames/sessions.js";
import { type Random, randomAt, readRunArguments } from "./random.js";
import { usedMemory } from "./used-memory.js";

// Sends changed sessions of HTTP/2 to a connection in memory: `npm run check -- fuzz/frames --count 1000000 --seed 1`. Each one must
// end or respond to a final PING, must leave nothing behind, and must have the same requests and, on each stream, the same output
// wherever its bytes are cut. Of sessions that are valid, `node:http2` must read the same requests. To repeat one: `--seed 1 --from 4711 --count 1`.

/** One session of so many is not changed, and compared to `node:http2`. */
const VALID_EACH = 20;
/** The run ends after this many failures. */
const MAX_FAILURES = 10;
/** The maximum growth of memory in use over the last three quarters of a run, in MiB. */
const MAX_GROWTH = 8;

const { count, from, seed } = readRunArguments();
const failures: string[] = [];
const totals = { changed: 0, alive: 0, hadRequests: 0, resets: 0, compared: 0, async: 0 };
const ends = new Map<string, number>();

let current = from;
process.on("uncaughtException", (error) => {
  console.error(`FAILED session ${current}: uncaught`, error);
  process.exit(1);
});

function fail(index: number, problem: string): void {
  failures.push(`session ${index}: ${problem}`);
  console.error(`FAILED session ${index}: ${problem}`);
}

/** Cuts bytes at random places, sometimes at all of them. */
function cut(random: Random, bytes: Buffer): Buffer[] {
  if (bytes.length < 500 && random.oneIn(10)) {
    return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  }
  const places = Array.from({ length: 1 + random.below(12) }, () => random.below(bytes.length));
  const sorted = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return sorted
    .slice(1)
    .map((end, index) => bytes.subarray(sorted[index], end))
    .filter((piece) => piece.length > 0);
}

const DATA = 0;
const RST_STREAM = 3;
const GOAWAY = 7;
const SETTINGS = 4;
const WINDOW_UPDATE = 8;
const SETTINGS_INITIAL_WINDOW_SIZE = 4;
const END_STREAM = 1;
const INITIAL_WINDOW = 65_535;
const PREFACE_LENGTH = 24;

function* framesIn(bytes: Buffer) {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    const streamId = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    yield { type: bytes[at + 3], flags: bytes[at + 4] ?? 0, streamId, payload: bytes.subarray(at + 9, end) };
    at = end;
  }
}

/**
 * Whether two outputs have the same frames on each stream. What waits for a window is sent once for each chunk of input. So the
 * chunks decide where it is among frames of other streams, how it is divided into frames, how much of it precedes a reset or a
 * smaller window, and which streams get the window of the connection once that has been used up.
 */
function isSameOutput(input: Buffer, one: Buffer, other: Buffer): boolean {
  const all = [one, other].flatMap((output) => [...framesIn(output)]);
  const resets = new Set(
    [...framesIn(input.subarray(PREFACE_LENGTH)), ...all]
      .filter(({ type }) => type === RST_STREAM)
      .map(({ streamId }) => streamId),
  );
  const partsOf = (output: Buffer): readonly string[] => {
    const parts = new Map<string, string>();
    for (const { type, flags, streamId, payload } of framesIn(output)) {
      if (!resets.has(streamId)) {
        const key = `${streamId} ${type === DATA || type === WINDOW_UPDATE ? type : ""}`;
        const text = type === DATA ? "" : ` ${type} ${flags} `;
        const end = type === DATA && (flags & END_STREAM) !== 0 ? " END" : "";
        parts.set(key, `${parts.get(key) ?? ""}${text}${payload.toString("latin1")}${end}`);
      }
    }
    return [...parts].flat().toSorted();
  };
  if (one.equals(other) || [one, other].some(hasUsedWindow) || hasReducedWindow(input)) {
    return true;
  }
  const { goaway } = readEnds(one);
  // How much precedes the end of a connection depends on the chunks as well.
  return goaway === readEnds(other).goaway && (goaway !== undefined || isSame(partsOf(one), partsOf(other)));
}

/** Whether all of the connection's initial window has been used. */
function hasUsedWindow(output: Buffer): boolean {
  let sent = 0;
  for (const { type, payload } of framesIn(output)) {
    sent += type === DATA ? payload.length : 0;
  }
  return sent >= INITIAL_WINDOW;
}

/** Whether the client reduces the initial window of streams. */
function hasReducedWindow(input: Buffer): boolean {
  let window = 0;
  for (const { type, payload } of framesIn(input.subarray(PREFACE_LENGTH))) {
    for (let at = 0; type === SETTINGS && at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) === SETTINGS_INITIAL_WINDOW_SIZE) {
        const next = payload.readUInt32BE(at + 2);
        if (next < window) {
          return true;
        }
        window = next;
      }
    }
  }
  return false;
}

/** The error codes of GOAWAY frames and whether there is a RST_STREAM. */
function readEnds(output: Buffer): { goaway: number | undefined; hasReset: boolean } {
  let goaway: number | undefined;
  let hasReset = false;
  for (const { type, payload } of framesIn(output)) {
    if (type === GOAWAY) {
      goaway = payload.readUInt32BE(4);
    }
    hasReset ||= type === RST_STREAM;
  }
  return { goaway, hasReset };
}

async function runChanged(index: number, random: Random): Promise<void> {
  const session = mutate(random, createSession(random, { hasResets: true }));
  const sent = sessionBytes(encodeFrames(session));
  const bytes = random.oneIn(50) ? damage(random, sent) : sent;
  const isAsync = random.oneIn(6);
  const whole = await runSession([bytes], isAsync);
  const pieces = await runSession(cut(random, bytes), isAsync);
  for (const problem of [...whole.problems, ...pieces.problems]) {
    fail(index, problem);
  }
  if (isAsync) {
    totals.async++;
  } else if (
    !isSame(whole.seen, pieces.seen) &&
    ![whole, pieces].some(({ output }) => hasUsedWindow(output))
  ) {
    // Which responses end before the window is used up depends on the chunks, and so do errors about closed streams.
    fail(index, "the requests depend on where the bytes are cut");
  } else if (!isSameOutput(bytes, whole.output, pieces.output)) {
    fail(index, "the output depends on where the bytes are cut");
  }
  totals.changed++;
  totals.alive += Number(whole.isAlive);
  totals.hadRequests += Number(whole.requests > 0);
  const { goaway, hasReset } = readEnds(whole.output);
  totals.resets += Number(hasReset);
  const end = whole.isAlive ? "responds" : goaway === undefined ? "timeout" : `GOAWAY ${goaway}`;
  ends.set(end, (ends.get(end) ?? 0) + 1);
}

async function runValid(index: number, random: Random): Promise<void> {
  const bytes = sessionBytes(encodeFrames(createSession(random, { hasResets: false })));
  const own = await runSession(cut(random, bytes), false);
  const node = await runNodeSession(bytes, own.seen.length);
  for (const problem of own.problems) {
    fail(index, problem);
  }
  if (!own.isAlive) {
    fail(index, "a valid session ends");
  }
  if (!isSame(sorted(own.seen), sorted(node))) {
    fail(index, `requests differ: ${JSON.stringify(own.seen)}, and from node:http2: ${JSON.stringify(node)}`);
  }
  totals.compared += own.seen.length;
}

/** Requests may end in any order. */
const sorted = (seen: readonly SeenRequest[]) => seen.map((each) => JSON.stringify(each)).toSorted();
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

async function main(): Promise<void> {
  const begun = performance.now();
  const progress = Math.max(Math.floor(count / 10), 1000);
  let early = 0;
  for (let done = 0; done < count && failures.length < MAX_FAILURES; done++) {
    current = from + done;
    const random = randomAt(seed, current);
    await (current % VALID_EACH === 0 ? runValid(current, random) : runChanged(current, random));
    if (done === Math.floor(count / 4)) {
      early = await usedMemory();
    }
    if ((done + 1) % progress === 0) {
      console.log(`${done + 1} sessions after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    }
  }
  const growth = (await usedMemory()) - early;
  if (count >= 1000 && growth > MAX_GROWTH) {
    fail(current, `memory has grown by ${growth.toFixed(1)} MiB`);
  }
  const { changed, alive, hadRequests, resets, compared } = totals;
  const share = (part: number) => `${((100 * part) / changed).toFixed(1)} %`;
  console.log(
    `${changed} changed sessions: ${share(hadRequests)} with requests, ${share(alive)} without an error of the connection, ` +
      `${share(resets)} with a stream that the server has reset; ${totals.async} with streams`,
  );
  console.log([...ends].map(([end, times]) => `${end}: ${times}`).join(", "));
  console.log(`${compared} requests read like node:http2; memory grew by ${growth.toFixed(1)} MiB`);
  console.log(failures.length === 0 ? "no failures" : `${failures.length} failures; seed ${seed}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

await main();
