/** RFC 9113, section 6. */
export const FrameType = {
  DATA: 0x0,
  HEADERS: 0x1,
  PRIORITY: 0x2,
  RST_STREAM: 0x3,
  SETTINGS: 0x4,
  PUSH_PROMISE: 0x5,
  PING: 0x6,
  GOAWAY: 0x7,
  WINDOW_UPDATE: 0x8,
  CONTINUATION: 0x9,
} as const;

/** Flags of frames. `ACK` and `END_STREAM` share a bit. */
export const FrameFlag = {
  END_STREAM: 0x1,
  ACK: 0x1,
  END_HEADERS: 0x4,
  PADDED: 0x8,
  HAS_PRIORITY: 0x20,
} as const;

/** RFC 9113, section 6.5.2. */
export const Http2Setting = {
  ENABLE_PUSH: 0x2,
  MAX_CONCURRENT_STREAMS: 0x3,
  INITIAL_WINDOW_SIZE: 0x4,
  MAX_FRAME_SIZE: 0x5,
  MAX_HEADER_LIST_SIZE: 0x6,
} as const;

/** RFC 9113, section 7. */
export const ErrorCode = {
  NO_ERROR: 0x0,
  PROTOCOL_ERROR: 0x1,
  FLOW_CONTROL_ERROR: 0x3,
  STREAM_CLOSED: 0x5,
  FRAME_SIZE_ERROR: 0x6,
  REFUSED_STREAM: 0x7,
  CANCEL: 0x8,
  COMPRESSION_ERROR: 0x9,
  ENHANCE_YOUR_CALM: 0xb,
  INADEQUATE_SECURITY: 0xc,
} as const;

/** The connection preface of a client (RFC 9113, section 3.4). */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** The length of a frame header in bytes. */
export const FRAME_HEADER = 9;

/** The default maximum length of a frame's payload. This server does not raise it with SETTINGS_MAX_FRAME_SIZE. */
export const MAX_FRAME = 16_384;

/** The initial flow-control window of streams and of the connection (RFC 9113, section 6.9.2). */
export const INITIAL_WINDOW = 65_535;

/** The maximum of a flow-control window (RFC 9113, section 6.9.1), and of a stream ID. */
export const MAX_UINT31 = 0x7fff_ffff;

/** Writes a frame header (RFC 9113, section 4.1). Returns the position after it. */
export function writeFrameHeader(
  target: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  target.writeUInt32BE(length * 0x100 + type, at);
  target[at + 4] = flags;
  return target.writeUInt32BE(streamId, at + 5);
}

/** Reads 31 bits; the first bit of stream IDs and window increments is reserved. The caller has checked the length. */
export function readUint31(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) & MAX_UINT31;
}

/** The length of the payload of the frame whose header begins at a position. The caller has checked the length of `bytes`. */
export function payloadLength(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) >>> 8;
}
