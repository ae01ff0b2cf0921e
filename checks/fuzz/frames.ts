import { END_STREAM, FRAME } from "../../packages/http-server/test/http2/raw-http2.js";
import { type Case, readCaseOptions, runCases } from "../lib/cases.js";
import { damage, type Random, splitAnywhere } from "../lib/random.js";
import { mutate } from "./frames/mutate.js";
import { runNodeSession } from "./frames/node-session.js";
import { runSession, type SeenRequest, sessionBytes } from "./frames/run-session.js";
import { createSession, encodeFrames } from "./frames/sessions.js";

// Sends changed sessions of HTTP/2 to a connection in memory. Each one must end or respond to a final PING, must leave nothing behind,
// and must have the same requests and, on each stream, the same output wherever its bytes are cut. Of sessions that are valid,
// `node:http2` must read the same requests.

/** One session of so many is not changed, and compared to `node:http2`. */
const VALID_EACH = 20;
const SETTINGS_INITIAL_WINDOW_SIZE = 4;
const INITIAL_WINDOW = 65_535;
const PREFACE_LENGTH = 24;
const { DATA, GOAWAY, RST_STREAM, SETTINGS, WINDOW_UPDATE } = FRAME;

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
  const goaway = goawayIn(one);
  // How much precedes the end of a connection depends on the chunks as well.
  return goaway === goawayIn(other) && (goaway !== undefined || isSame(partsOf(one), partsOf(other)));
}

/** Whether all of the connection's initial window has been used. */
function hasUsedWindow(output: Buffer): boolean {
  const lengths = [...framesIn(output)].map(({ type, payload }) => (type === DATA ? payload.length : 0));
  return lengths.reduce((sum, length) => sum + length, 0) >= INITIAL_WINDOW;
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

/** The error code of the last GOAWAY frame. */
function goawayIn(output: Buffer): number | undefined {
  const frames = [...framesIn(output)].filter(({ type }) => type === GOAWAY);
  return frames.at(-1)?.payload.readUInt32BE(4);
}

async function runChanged(random: Random, count: Case["count"]): Promise<string[]> {
  const session = mutate(random, createSession(random, true));
  const sent = sessionBytes(encodeFrames(session));
  const bytes = random.oneIn(50) ? damage(random, sent) : sent;
  const isAsync = random.oneIn(6);
  const whole = await runSession([bytes], isAsync);
  const pieces = await runSession(splitAnywhere(random, bytes), isAsync);
  const goaway = goawayIn(whole.output);
  count(
    "changed sessions",
    whole.isAlive ? "respond" : goaway === undefined ? "timeout" : `GOAWAY ${goaway}`,
  );
  count("requests of a changed session", String(whole.requests));
  const problems = [...whole.problems, ...pieces.problems];
  if (isAsync) {
    return problems;
  }
  // Which responses end before the window is used up depends on the chunks, and so do errors about closed streams.
  const isFull = [whole, pieces].some(({ output }) => hasUsedWindow(output));
  if (!isFull && !isSame(whole.seen, pieces.seen)) {
    return [...problems, "the requests depend on where the bytes are cut"];
  }
  return isSameOutput(bytes, whole.output, pieces.output)
    ? problems
    : [...problems, "the output depends on where the bytes are cut"];
}

async function runValid(random: Random, count: Case["count"]): Promise<string[]> {
  const bytes = sessionBytes(encodeFrames(createSession(random, false)));
  const own = await runSession(splitAnywhere(random, bytes), false);
  const node = await runNodeSession(bytes, own.seen.length);
  count("requests of a valid session", String(own.seen.length));
  return [
    ...own.problems,
    ...(own.isAlive ? [] : ["a valid session ends"]),
    ...(isSame(sorted(own.seen), sorted(node))
      ? []
      : [`requests differ: ${JSON.stringify(own.seen)}, and from node:http2: ${JSON.stringify(node)}`]),
  ];
}

/** Requests may end in any order. */
const sorted = (seen: readonly SeenRequest[]) => seen.map((each) => JSON.stringify(each)).toSorted();
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

await runCases(readCaseOptions("fuzz/frames"), {
  run: ({ index, random, count }) =>
    index % VALID_EACH === 0 ? runValid(random, count) : runChanged(random, count),
  maxGrowth: 8,
});
