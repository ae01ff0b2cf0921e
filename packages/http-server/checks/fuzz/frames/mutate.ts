import { damage, type Random } from "connect-transcoding-testing/random.js";
import { ACK, END_STREAM, FRAME, PADDED, settings, uint32 } from "connect-transcoding-testing/raw-http2.js";
import type { PlainFrame } from "./sessions.js";

const { CONTINUATION, DATA, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE } = FRAME;

/** Changes a session. Most changes are legal, or an error of one stream: the connection goes on. */
export function mutate(random: Random, session: readonly PlainFrame[]): PlainFrame[] {
  const frames = [...session];
  for (let count = 1 + random.below(4); count > 0; count--) {
    const change = random.oneIn(12) ? random.pick(HARSH) : random.pick(GENTLE);
    // The first frame is SETTINGS: without it, nothing else matters.
    change(random, frames, 1 + random.below(Math.max(frames.length - 1, 1)));
  }
  return frames;
}

type Change = (random: Random, frames: PlainFrame[], at: number) => void;

/** Inserts a frame, unless it would interrupt a header section. */
function insert(
  frames: PlainFrame[],
  at: number,
  type: number,
  stream: number,
  payload: Buffer,
  flags = 0,
): void {
  if (frames[at]?.type !== CONTINUATION) {
    frames.splice(at, 0, { type, flags, stream, payload });
  }
}

/** Inserts a frame about the connection, or of a type that is not known. */
const inserted =
  (type: number, payloadOf: (random: Random) => Buffer, flagsOf = (_: Random) => 0): Change =>
  (random, frames, at) =>
    insert(frames, at, type, 0, payloadOf(random), flagsOf(random));

/** Inserts a frame about a stream that is open or closed, but not idle. */
const onUsed =
  (type: number, payloadOf: (random: Random, id: number) => Buffer): Change =>
  (random, frames, at) => {
    const used = frames.slice(0, at).filter((frame) => frame.type === HEADERS);
    if (used.length > 0) {
      const { stream } = random.pick(used);
      insert(frames, at, type, stream, payloadOf(random, stream));
    }
  };

/** Changes a frame, if it fits. */
const replaced =
  (
    change: (frame: PlainFrame, random: Random, frames: readonly PlainFrame[]) => Partial<PlainFrame>,
    fits: (frame: PlainFrame) => boolean = () => true,
  ): Change =>
  (random, frames, at) => {
    const frame = frames[at];
    if (frame !== undefined && fits(frame)) {
      frames[at] = { ...frame, ...change(frame, random, frames) };
    }
  };

const isData = ({ type }: PlainFrame): boolean => type === DATA;
const isPlain = ({ flags, payload }: PlainFrame): boolean => (flags & PADDED) === 0 && payload.length > 3;

const GENTLE: readonly Change[] = [
  onUsed(RST_STREAM, () => uint32(8)),
  onUsed(WINDOW_UPDATE, (random) => uint32(random.pick([0, 1, 5, 70_000, 2 ** 31 - 1]))),
  onUsed(PRIORITY, (_, id) => uint32(id)),
  onUsed(PRIORITY, (_, id) => Buffer.concat([uint32(id), Buffer.alloc(1)])),
  inserted(WINDOW_UPDATE, (random) => uint32(random.pick([1, 65_535, 1_000_000]))),
  inserted(SETTINGS, (random) => settings([4, random.pick([0, 1, 7, 100_000, 2 ** 31 - 1])])),
  inserted(
    PING,
    () => Buffer.alloc(8),
    (random) => random.pick([0, ACK]),
  ),
  inserted(GOAWAY, () => Buffer.alloc(8)),
  (random, frames, at) =>
    insert(frames, at, 10 + random.below(240), random.below(20), Buffer.alloc(random.below(50))),
  // The content of a body, the end of a request, and unused flags.
  replaced(
    ({ payload }, random) => ({ payload: payload.subarray(random.below(payload.length)) }),
    (frame) => isData(frame) && isPlain(frame),
  ),
  replaced(
    ({ flags }) => ({ flags: flags ^ END_STREAM }),
    ({ type }) => type === DATA || type === HEADERS,
  ),
  replaced(({ flags }, random) => ({ flags: flags | random.pick([0x10, 0x40, 0x80]) })),
  replaced(({ flags }) => ({ payload: Buffer.alloc(0), flags: flags & ~PADDED }), isData),
  // A value of a header: the last bytes of a block that is not padded.
  replaced(
    ({ payload }, random) => ({
      payload: Buffer.concat([payload.subarray(0, -1), Buffer.from([random.below(256)])]),
    }),
    (frame) => frame.type === HEADERS && isPlain(frame),
  ),
  // DATA moves to another place, is repeated, or is gone.
  (random, frames, at) => {
    const to = 1 + random.below(frames.length);
    if (frames[at]?.type === DATA && frames[to]?.type !== CONTINUATION) {
      frames.splice(to, 0, ...frames.splice(at, 1));
    }
  },
  (_, frames, at) => {
    const frame = frames[at];
    if (frame?.type === DATA || frame?.type === WINDOW_UPDATE) {
      frames.splice(at, 0, frame);
    }
  },
  (_, frames, at) => {
    const type = frames[at]?.type;
    frames.splice(at, type === HEADERS || type === CONTINUATION ? 0 : 1);
  },
];

const HARSH: readonly Change[] = [
  (_, frames, at) => frames.splice(at, 1),
  replaced(({ payload }) => ({ payload: payload.subarray(0, -1) })),
  replaced(({ flags }, random) => ({ flags: flags ^ (1 << random.below(8)) })),
  replaced((_, random) => ({ type: random.below(11) })),
  replaced((_, random, frames) => ({ stream: random.pick(frames).stream || 1 })),
  replaced((_, random) => ({ stream: random.below(2 ** 31) })),
  (random, frames, at) => {
    const to = 1 + random.below(frames.length);
    const [one, other] = [frames[at], frames[to]];
    if (one !== undefined && other !== undefined) {
      frames[at] = other;
      frames[to] = one;
    }
  },
  replaced(
    ({ payload }, random) => ({ payload: damage(random, payload) }),
    ({ payload }) => payload.length > 0,
  ),
  replaced(({ payload }, random) => ({
    payload: Buffer.concat([payload, Buffer.alloc(1 + random.size(20_000))]),
  })),
];
