import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";

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
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const HAS_PRIORITY = 0x20;

/** Error codes by their numbers (RFC 9113, section 7). */
const CODES = [
  ...["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT"],
  ...["STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR"],
  ...["CONNECT_ERROR", "ENHANCE_YOUR_CALM"],
] as const;

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

/** 32 bits: a code, an increment or a priority. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settings(...pairs: readonly (readonly [setting: number, value: number])[]): Buffer {
  return Buffer.concat(
    pairs.map(([setting, value]) => Buffer.concat([Buffer.from([0, setting]), uint32(value)])),
  );
}

/** An uncompressed header block (RFC 7541, section 6.2.2). */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return fieldBlock(Object.entries(headers));
}

/** An uncompressed header block of fields, whose names may repeat. Names and values are in ISO 8859-1. */
export function fieldBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

/** A string without Huffman code (RFC 7541, section 5.2). */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length = [Math.min(bytes.length, 127)];
  if (bytes.length >= 127) {
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>>= 7) {
      length.push((rest & 127) | 128);
    }
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

export const PREFACE = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame(FRAME.SETTINGS, 0, 0),
]);

export const requestBlock = (method = "GET", path = "/"): Buffer =>
  headerBlock({ ":method": method, ":scheme": "http", ":authority": "a", ":path": path });

/** A complete request, and one with a body that is open. */
export const get = (id: number, path = "/", method = "GET"): Buffer =>
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, requestBlock(method, path));
export const post = (id: number, path = "/", extra: Readonly<Record<string, string>> = {}): Buffer =>
  frame(FRAME.HEADERS, END_HEADERS, id, Buffer.concat([requestBlock("POST", path), headerBlock(extra)]));
/** A part of a body; a number is the length of one of zeros. */
export const data = (id: number, part: Uint8Array | string | number, flags = 0): Buffer =>
  frame(FRAME.DATA, flags, id, typeof part === "number" ? Buffer.alloc(part) : Buffer.from(part));
/** RST_STREAM with CANCEL. */
export const reset = (id: number): Buffer => frame(FRAME.RST_STREAM, 0, id, uint32(8));
export const update = (id: number, increment: number): Buffer =>
  frame(FRAME.WINDOW_UPDATE, 0, id, uint32(increment));
export const initialWindow = (size: number): Buffer => frame(FRAME.SETTINGS, 0, 0, settings([4, size]));

/**
 * What a frame says, such as `RST_STREAM 1 CANCEL` or `DATA 1 5 END_STREAM` for five bytes. `decode` reads the status in a
 * header block; without one, it is left out.
 */
export function describeFrame(
  { type, flags, stream, payload }: Frame,
  decode: (block: Buffer) => string = () => "",
): string {
  const end = (flags & END_STREAM) !== 0 ? " END_STREAM" : "";
  const ack = (flags & ACK) !== 0 ? " ACK" : "";
  switch (type) {
    case FRAME.DATA:
      return `DATA ${stream} ${payload.length}${end}`;
    case FRAME.HEADERS:
      return `HEADERS ${stream} ${decode(payload)}${end}`;
    case FRAME.RST_STREAM:
      return `RST_STREAM ${stream} ${CODES[payload.readUInt32BE()]}`;
    case FRAME.GOAWAY:
      return `GOAWAY ${payload.readUInt32BE()} ${CODES[payload.readUInt32BE(4)]}`;
    case FRAME.WINDOW_UPDATE:
      return `WINDOW_UPDATE ${stream} ${payload.readUInt32BE()}`;
    case FRAME.SETTINGS:
      return `SETTINGS${ack}`;
    case FRAME.PING:
      return `PING${ack} ${payload.toString("latin1")}`;
    default:
      return `${Object.keys(FRAME)[type] ?? type} ${stream}`;
  }
}

/** An HTTP/2 connection that sends what the test writes, and nothing else. */
export interface RawHttp2 {
  readonly socket: Socket;
  /** Resolves with the first frame that matches and that no earlier call has returned. */
  next(fits: (frame: Frame) => boolean): Promise<Frame>;
  readonly closed: Promise<unknown>;
}

/** Calls a function with each frame of a stream, behind `preface` bytes. */
export function readFrames(stream: Readable, onFrame: (frame: Frame) => void, preface = 0): void {
  let rest = Buffer.alloc(0);
  let start = preface;
  stream.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= start + 9 && rest.length >= start + 9 + rest.readUIntBE(start, 3)) {
      const whole = rest.subarray(start, start + 9 + rest.readUIntBE(start, 3));
      const [type = 0, flags = 0] = whole.subarray(3, 5);
      rest = rest.subarray(start + whole.length);
      start = 0;
      onFrame({ type, flags, stream: whole.readUInt32BE(5), payload: whole.subarray(9) });
    }
  });
}

/** Reads frames from a connection; sends nothing. */
export function rawHttp2(socket: Socket): RawHttp2 {
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const checkAgain = (): void => {
    for (const check of waiting) {
      check();
    }
  };
  socket.on("error", () => {});
  // An error, such as a reset by the server, is followed by the end.
  const closed = new Promise((resolve) => socket.once("close", resolve)).finally(checkAgain);
  readFrames(socket, (each) => {
    frames.push(each);
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
