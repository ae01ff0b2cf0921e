import { type Case, readCaseOptions, runCases } from "connect-transcoding-testing/cases.js";
import { damage, type Random, splitAnywhere } from "connect-transcoding-testing/random.js";
import { FRAME } from "connect-transcoding-testing/raw-http2.js";
import { mutate } from "./frames/mutate.js";
import { runNodeSession } from "./frames/node-session.js";
import { runSession, type SeenRequest, sessionBytes } from "./frames/run-session.js";
import { createSession, encodeFrames } from "./frames/sessions.js";

// Sends changed sessions of HTTP/2 to a connection in memory. Each one must end or respond to a final PING, must leave nothing behind,
// and must have the same requests wherever its bytes are cut. Of sessions that are valid, `node:http2` must read the same requests.

/** One session of so many is not changed, and compared to `node:http2`. */
const VALID_EACH = 20;
const INITIAL_WINDOW = 65_535;
const { DATA, GOAWAY } = FRAME;

function* framesIn(bytes: Buffer) {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    yield { type: bytes[at + 3], payload: bytes.subarray(at + 9, end) };
    at = end;
  }
}

/** Whether all of the connection's initial window has been used. */
function hasUsedWindow(output: Buffer): boolean {
  const lengths = [...framesIn(output)].map(({ type, payload }) => (type === DATA ? payload.length : 0));
  return lengths.reduce((sum, length) => sum + length, 0) >= INITIAL_WINDOW;
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
  return isFull || isSame(whole.seen, pieces.seen)
    ? problems
    : [...problems, "the requests depend on where the bytes are cut"];
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
