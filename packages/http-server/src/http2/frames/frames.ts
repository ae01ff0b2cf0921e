/** Frame types (RFC 9113, section 6). */
export const DATA = 0x0;
export const HEADERS = 0x1;
export const PRIORITY = 0x2;
export const RST_STREAM = 0x3;
export const SETTINGS = 0x4;
export const PUSH_PROMISE = 0x5;
export const PING = 0x6;
export const GOAWAY = 0x7;
export const WINDOW_UPDATE = 0x8;
export const CONTINUATION = 0x9;

/** Flags of frames. `ACK` and `END_STREAM` share a bit. */
export const END_STREAM = 0x1;
export const ACK = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const HAS_PRIORITY = 0x20;

/** Settings (RFC 9113, section 6.5.2). */
export const SETTINGS_ENABLE_PUSH = 0x2;
export const SETTINGS_MAX_CONCURRENT_STREAMS = 0x3;
export const SETTINGS_INITIAL_WINDOW_SIZE = 0x4;
export const SETTINGS_MAX_FRAME_SIZE = 0x5;
export const SETTINGS_MAX_HEADER_LIST_SIZE = 0x6;

/** Error codes (RFC 9113, section 7). */
export const NO_ERROR = 0x0;
export const PROTOCOL_ERROR = 0x1;
export const FLOW_CONTROL_ERROR = 0x3;
export const STREAM_CLOSED = 0x5;
export const FRAME_SIZE_ERROR = 0x6;
export const REFUSED_STREAM = 0x7;
export const CANCEL = 0x8;
export const COMPRESSION_ERROR = 0x9;
export const ENHANCE_YOUR_CALM = 0xb;

/** The connection preface of a client (RFC 9113, section 3.4). */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** The length of a frame header in bytes. */
export const FRAME_HEADER = 9;

/** The default maximum length of a frame's payload. This server does not raise it with SETTINGS_MAX_FRAME_SIZE. */
export const MAX_FRAME = 16_384;

/** The initial flow-control window of streams and of the connection (RFC 9113, section 6.9.2). */
export const INITIAL_WINDOW = 65_535;

/** The maximum of a flow-control window (RFC 9113, section 6.9.1). */
export const MAX_WINDOW = 0x7fff_ffff;

/** The maximum of a stream ID. */
export const MAX_STREAM_ID = 0x7fff_ffff;

/** Writes a frame header (RFC 9113, section 4.1). Returns the position after it. */
export function writeFrameHeader(
  target: Uint8Array,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  target[at] = length >>> 16;
  target[at + 1] = length >>> 8;
  target[at + 2] = length;
  target[at + 3] = type;
  target[at + 4] = flags;
  return writeUint32(target, at + 5, streamId);
}

/** Writes 32 bits, the most significant byte first. Returns the position after them. */
export function writeUint32(target: Uint8Array, at: number, value: number): number {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
  return at + 4;
}

/** Reads 31 bits; the first bit of stream IDs and window increments is reserved. The caller has checked the length. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at) & 0x7fff_ffff;
}

/** Reads 32 bits, the most significant byte first. The caller has checked the length. */
function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}

/** The length of the payload of the frame whose header begins at a position. The caller has checked the length of `bytes`. */
export function payloadLength(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}
