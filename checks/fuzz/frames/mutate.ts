import {
  ACK,
  END_STREAM,
  FRAME,
  settings,
  uint32,
} from "../../../packages/http-server/test/http2/raw-http2.js";
import type { Random } from "../../lib/random.js";
import type { PlainFrame } from "./sessions.js";

const { DATA, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE } = FRAME;

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

/** A stream that the session uses, or that it may have used. */
function anyStream(random: Random, frames: readonly PlainFrame[]): number {
  return frames[random.below(frames.length)]?.stream || 1;
}

/** A stream that is open or closed, but not idle, at a position. */
function usedStream(random: Random, frames: readonly PlainFrame[], at: number): number | undefined {
  const used = frames.slice(0, at).filter(({ type }) => type === HEADERS);
  return used[random.below(Math.max(used.length, 1))]?.stream;
}

/** Whether a frame at a position would interrupt a header section. */
function isInSection(frames: readonly PlainFrame[], at: number): boolean {
  return frames[at]?.type === FRAME.CONTINUATION;
}

function insert(frames: PlainFrame[], at: number, frame: PlainFrame): void {
  if (!isInSection(frames, at)) {
    frames.splice(at, 0, frame);
  }
}

const plain = (type: number, stream: number, payload: Buffer, flags = 0): PlainFrame => ({
  type,
  flags,
  stream,
  payload,
});

/** On a stream that is not idle. */
const onUsed =
  (create: (random: Random, id: number) => PlainFrame): Change =>
  (random, frames, at) => {
    const id = usedStream(random, frames, at);
    if (id !== undefined) {
      insert(frames, at, create(random, id));
    }
  };

const replace = (frames: PlainFrame[], at: number, change: (frame: PlainFrame) => PlainFrame): void => {
  const frame = frames[at];
  if (frame !== undefined) {
    frames[at] = change(frame);
  }
};

const GENTLE: readonly Change[] = [
  onUsed((_, id) => plain(RST_STREAM, id, uint32(8))),
  onUsed((random, id) => plain(WINDOW_UPDATE, id, uint32(random.pick([0, 1, 5, 70_000, 2 ** 31 - 1])))),
  onUsed((_, id) => plain(PRIORITY, id, uint32(id))),
  onUsed((_, id) => plain(PRIORITY, id, Buffer.concat([uint32(id), Buffer.alloc(1)]))),
  (random, frames, at) =>
    insert(frames, at, plain(WINDOW_UPDATE, 0, uint32(random.pick([1, 65_535, 1_000_000])))),
  (random, frames, at) =>
    insert(frames, at, plain(SETTINGS, 0, settings([4, random.pick([0, 1, 7, 100_000, 2 ** 31 - 1])]))),
  (random, frames, at) => insert(frames, at, plain(PING, 0, Buffer.alloc(8), random.pick([0, ACK]))),
  (_, frames, at) => insert(frames, at, plain(GOAWAY, 0, Buffer.alloc(8))),
  (random, frames, at) =>
    insert(frames, at, plain(10 + random.below(240), random.below(20), Buffer.alloc(random.below(50)))),
  // The content of a body, the end of a request, and unused flags.
  (random, frames, at) =>
    replace(frames, at, (frame) =>
      frame.type === DATA && frame.payload.length > 1 && (frame.flags & 8) === 0
        ? { ...frame, payload: frame.payload.subarray(random.below(frame.payload.length)) }
        : frame,
    ),
  (_, frames, at) =>
    replace(frames, at, (frame) =>
      frame.type === DATA ? { ...frame, flags: frame.flags ^ END_STREAM } : frame,
    ),
  (_, frames, at) =>
    replace(frames, at, (frame) =>
      frame.type === HEADERS ? { ...frame, flags: frame.flags ^ END_STREAM } : frame,
    ),
  (random, frames, at) =>
    replace(frames, at, (frame) => ({ ...frame, flags: frame.flags | random.pick([0x10, 0x40, 0x80]) })),
  (_, frames, at) =>
    replace(frames, at, (frame) =>
      frame.type === DATA ? { ...frame, payload: Buffer.alloc(0), flags: frame.flags & ~8 } : frame,
    ),
  // A value of a header: the last bytes of a block that is not padded.
  (random, frames, at) =>
    replace(frames, at, (frame) => {
      const payload = Buffer.from(frame.payload);
      if (frame.type === HEADERS && (frame.flags & 8) === 0 && payload.length > 3) {
        payload[payload.length - 1] = random.below(256);
      }
      return { ...frame, payload };
    }),
  // DATA moves to another place, is repeated, or is gone.
  (random, frames, at) => {
    if (frames[at]?.type === DATA) {
      const [frame] = frames.splice(at, 1);
      const to = 1 + random.below(frames.length);
      if (frame !== undefined && !isInSection(frames, to)) {
        frames.splice(to, 0, frame);
      }
    }
  },
  (_, frames, at) => {
    const frame = frames[at];
    if (frame?.type === DATA || frame?.type === WINDOW_UPDATE) {
      frames.splice(at, 0, frame);
    }
  },
  (_, frames, at) => {
    if (frames[at]?.type !== HEADERS && !isInSection(frames, at)) {
      frames.splice(at, 1);
    }
  },
];

const HARSH: readonly Change[] = [
  (_, frames, at) => frames.splice(at, 1),
  (_, frames, at) => replace(frames, at, (frame) => ({ ...frame, payload: frame.payload.subarray(0, -1) })),
  (random, frames, at) =>
    replace(frames, at, (frame) => ({ ...frame, flags: frame.flags ^ (1 << random.below(8)) })),
  (random, frames, at) => replace(frames, at, (frame) => ({ ...frame, type: random.below(11) })),
  (random, frames, at) => replace(frames, at, (frame) => ({ ...frame, stream: anyStream(random, frames) })),
  (random, frames, at) => replace(frames, at, (frame) => ({ ...frame, stream: random.below(2 ** 31) })),
  (random, frames, at) => {
    const to = 1 + random.below(frames.length);
    const [one, other] = [frames[at], frames[to]];
    if (one !== undefined && other !== undefined) {
      frames[at] = other;
      frames[to] = one;
    }
  },
  (random, frames, at) =>
    replace(frames, at, (frame) => {
      const payload = Buffer.from(frame.payload);
      if (payload.length > 0) {
        const index = random.below(payload.length);
        payload[index] = (payload[index] ?? 0) ^ (1 << random.below(8));
      }
      return { ...frame, payload };
    }),
  (random, frames, at) =>
    replace(frames, at, (frame) => ({
      ...frame,
      payload: Buffer.concat([frame.payload, Buffer.alloc(1 + random.size(20_000))]),
    })),
];
