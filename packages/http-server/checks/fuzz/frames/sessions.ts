import { listOf, type Random } from "connect-transcoding-testing/random.js";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  fieldBlock,
  frame,
  HAS_PRIORITY,
  PADDED,
  settings,
  uint32,
} from "connect-transcoding-testing/raw-http2.js";

/** A frame before it is encoded. */
export interface PlainFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

type Field = readonly [name: string, value: string];
type Fields = Field[];

const { CONTINUATION, DATA, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE } = FRAME;

/** What the generated requests ask for. See the handlers in `run-session.ts`. */
const PATHS = ["/", "/", "/a?b=c", "/now", "/never", "/much"] as const;
const FIELDS: readonly Field[] = [
  ["accept", "*/*"],
  ["content-type", "application/grpc"],
  ["te", "trailers"],
  ["user-agent", "fuzz/1.0"],
  ["cookie", "a=b"],
  ["cookie", "c=d"],
  ["x-empty", ""],
  ["grpc-timeout", "1S"],
  ["x-long", "y".repeat(300)],
];

const TRAILERS: Fields = Object.entries({ "grpc-status": "0", "x-sum": "abc" });

/**
 * The frames of a valid session, after the preface: requests with bodies and trailers, and frames in between.
 *
 * @param hasResets whether requests may be reset by the client or remain without a response
 */
export function createSession(random: Random, hasResets: boolean): PlainFrame[] {
  const streams: PlainFrame[][] = [];
  const requests = 1 + random.below(5);
  let id = 1;
  for (let index = 0; index < requests; index++) {
    streams.push(createRequest(random, id, hasResets));
    id += 2 * (1 + (random.oneIn(5) ? random.below(3) : 0));
  }
  const frames: PlainFrame[] = [{ type: SETTINGS, flags: 0, stream: 0, payload: anySettings(random) }];
  // Streams begin in their order; the rest of one is mixed with those of others.
  const begun: PlainFrame[][] = [];
  while (streams.length > 0 || begun.length > 0) {
    if (random.oneIn(4)) {
      frames.push(betweenFrame(random));
    }
    const isNew = begun.length === 0 || (streams.length > 0 && random.oneIn(2));
    const stream = isNew ? streams.shift() : begun[random.below(begun.length)];
    if (stream === undefined) {
      continue;
    }
    if (isNew) {
      begun.push(stream);
    }
    // A header section is not interrupted (RFC 9113, section 6.10).
    do {
      frames.push(...stream.splice(0, 1));
    } while (stream[0]?.type === CONTINUATION);
    if (stream.length === 0) {
      begun.splice(begun.indexOf(stream), 1);
    }
  }
  return frames;
}

function anySettings(random: Random): Buffer {
  const pairs: [number, number][] = [];
  if (random.oneIn(2)) {
    pairs.push([4, random.pick([0, 1, 10, 65_535, 1_000_000])]);
  }
  if (random.oneIn(3)) {
    pairs.push([2, 0], [3, 100], [0x10, 7]);
  }
  if (random.oneIn(3)) {
    pairs.push([5, random.pick([16_384, 100_000])], [1, random.pick([0, 4096])]);
  }
  return settings(...pairs);
}

function betweenFrame(random: Random): PlainFrame {
  return random.pick<PlainFrame>([
    { type: PING, flags: 0, stream: 0, payload: Buffer.from("abcdefgh") },
    { type: SETTINGS, flags: 0, stream: 0, payload: anySettings(random) },
    { type: WINDOW_UPDATE, flags: 0, stream: 0, payload: uint32(random.pick([1, 1000, 100_000])) },
    { type: PRIORITY, flags: 0, stream: 1 + 2 * random.below(20), payload: Buffer.alloc(5) },
    {
      type: 0x77,
      flags: random.below(256),
      stream: random.below(20),
      payload: Buffer.alloc(random.below(20)),
    },
  ]);
}

function createRequest(random: Random, id: number, hasResets: boolean): PlainFrame[] {
  const path = random.pick(PATHS);
  const hasBody = random.oneIn(2);
  const body = Array.from({ length: hasBody ? 1 + random.below(4) : 0 }, () =>
    Buffer.alloc(random.oneIn(20) ? random.below(16_000) : random.below(30), random.below(256)),
  );
  const fields: Fields = [
    [":method", hasBody ? "POST" : random.pick(["GET", "HEAD", "DELETE"])],
    [":scheme", "http"],
    [":path", hasResets || (path !== "/never" && path !== "/now") ? path : "/"],
    [":authority", "a.example"],
    ...listOf(random, 6, () => random.pick(FIELDS)),
  ];
  if (hasBody && random.oneIn(3)) {
    fields.push(["content-length", String(Buffer.concat(body).length)]);
  }
  const hasTrailers = hasBody && random.oneIn(3);
  const frames = [
    ...headers(random, id, fields, !hasBody),
    ...body.map((part, index) => data(random, id, part, index === body.length - 1 && !hasTrailers)),
    ...(hasTrailers ? headers(random, id, TRAILERS, true) : []),
  ];
  if (random.oneIn(3)) {
    frames.push({ type: WINDOW_UPDATE, flags: 0, stream: id, payload: uint32(1 + random.below(70_000)) });
  }
  if (hasResets && random.oneIn(6)) {
    const at = 1 + random.below(frames.length);
    if (frames[at]?.type !== CONTINUATION) {
      frames.splice(at, frames.length, { type: RST_STREAM, flags: 0, stream: id, payload: uint32(8) });
    }
  }
  return frames;
}

/** A header section in one frame or more; some fields go to the dynamic table. */
function headers(random: Random, id: number, fields: Fields, isLast: boolean): PlainFrame[] {
  const block = Buffer.concat(
    fields.map((field) => {
      const bytes = fieldBlock([field]);
      bytes[0] = random.pick([0x00, 0x10, 0x40]);
      return bytes;
    }),
  );
  const end = isLast ? END_STREAM : 0;
  const cuts = Array.from({ length: random.oneIn(4) ? 1 + random.below(3) : 0 }, () =>
    random.below(block.length + 1),
  ).sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => {
    const payload = block.subarray(start, cuts[index]);
    const ends = index === cuts.length ? END_HEADERS : 0;
    return index === 0
      ? dressed(random, { type: HEADERS, flags: end | ends, stream: id, payload })
      : { type: CONTINUATION, flags: ends, stream: id, payload };
  });
}

/** HEADERS with padding or a priority, sometimes. */
function dressed(random: Random, plain: PlainFrame): PlainFrame {
  const payload = Buffer.concat([uint32(0), Buffer.alloc(1), plain.payload]);
  const inner = random.oneIn(5) ? { ...plain, flags: plain.flags | HAS_PRIORITY, payload } : plain;
  return random.oneIn(5) ? padded(random, inner) : inner;
}

function data(random: Random, id: number, payload: Buffer, isLast: boolean): PlainFrame {
  const plain = { type: DATA, flags: isLast ? END_STREAM : 0, stream: id, payload };
  return random.oneIn(5) && payload.length < 16_000 ? padded(random, plain) : plain;
}

function padded(random: Random, plain: PlainFrame): PlainFrame {
  const length = random.below(random.oneIn(3) ? 256 : 10);
  const payload = Buffer.concat([Buffer.from([length]), plain.payload, Buffer.alloc(length)]);
  return { ...plain, flags: plain.flags | PADDED, payload };
}

/** Encodes frames (RFC 9113, section 4.1). Lengths beyond 24 bits do not occur. */
export function encodeFrames(frames: readonly PlainFrame[]): Buffer {
  return Buffer.concat(
    frames.map(({ type, flags, stream, payload }) => frame(type, flags & 255, stream, payload)),
  );
}
