import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A received frame (RFC 9113, section 4.1). */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Types of frames (RFC 9113, section 6). */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  CONTINUATION: 9,
} as const;

export const END_STREAM = 1;
const ACK = 1;
export const END_HEADERS = 4;

/** The bytes of a frame. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** An uncompressed header block (RFC 7541, section 6.2.2). Names and values have fewer than 127 bytes. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  );
}

export const PREFACE = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame(FRAME.SETTINGS, 0, 0),
]);

/** The header block of a request. */
export const requestBlock = (method = "GET", path = "/"): Buffer =>
  headerBlock({ ":method": method, ":scheme": "http", ":authority": "a", ":path": path });

/** An HTTP/2 connection that sends what the test writes, and nothing else. */
export interface RawHttp2 {
  readonly socket: Socket;
  /** Resolves with the first frame that matches and that no earlier call has returned. */
  next(fits: (frame: Frame) => boolean): Promise<Frame>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;
}

/** Reads frames from a connection; sends nothing. */
export function rawHttp2(socket: Socket): RawHttp2 {
  let buffered = Buffer.alloc(0);
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const checkAgain = (): void => {
    for (const check of waiting) {
      check();
    }
  };
  socket.on("error", () => {});
  const closed = once(socket, "close").finally(checkAgain);
  socket.on("data", (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 9 && buffered.length >= 9 + buffered.readUIntBE(0, 3)) {
      const end = 9 + buffered.readUIntBE(0, 3);
      const [type = 0, flags = 0] = buffered.subarray(3, 5);
      frames.push({ type, flags, stream: buffered.readUInt32BE(5), payload: buffered.subarray(9, end) });
      buffered = buffered.subarray(end);
    }
    checkAgain();
  });
  return {
    socket,
    closed,
    next: (fits) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const index = frames.findIndex(fits);
          const [found] = index < 0 ? [] : frames.splice(index, 1);
          if (found !== undefined || socket.closed) {
            waiting.delete(check);
            found === undefined ? reject(new Error("the connection closed")) : resolve(found);
          }
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Connects in cleartext, sends the preface, and waits until both sides have acknowledged the SETTINGS. */
export async function openRawHttp2(port: number): Promise<RawHttp2> {
  const raw = rawHttp2(connect({ port, host: "127.0.0.1", noDelay: true }));
  raw.socket.write(PREFACE);
  await raw.next(({ type, flags }) => type === FRAME.SETTINGS && flags === 0);
  raw.socket.write(frame(FRAME.SETTINGS, ACK, 0));
  await raw.next(({ type, flags }) => type === FRAME.SETTINGS && flags === ACK);
  return raw;
}
