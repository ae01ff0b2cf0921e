/** RFC 9113, section 3.4. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Encodes a frame (RFC 9113, section 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream % 2 ** 31, 5);
  bytes.set(payload, 9);
  return bytes;
}

/** A peer that still reads the connection responds to this. */
export const PING = frame(6, 0, 0, Buffer.from("fuzzfuzz"));

/** Header fields. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Returns the pseudo-headers of a request (RFC 9113, section 8.3.1). */
export function pseudoHeaders(httpMethod: string, target: string): Fields {
  return [
    [":method", httpMethod],
    [":scheme", "http"],
    [":path", target],
    [":authority", "a.example"],
  ];
}

/**
 * Encodes request headers in one uncompressed block (RFC 7541, section 6.2). `indexing` returns how to index a field: 0
 * (without), 0x10 (never) or 0x40 (incremental).
 */
export function headersFrame(
  stream: number,
  fields: Fields,
  flags = END_HEADERS,
  indexing: () => number = () => 0,
): Buffer {
  const block = Buffer.concat(
    fields.map(([name, value]) => Buffer.concat([Buffer.from([indexing()]), text(name), text(value)])),
  );
  return frame(1, flags, stream, block.subarray(0, 16_000));
}

/** Flags of HEADERS frames. */
export const END_HEADERS = 4;
export const END_STREAM = 1;

/** Encodes a string literal (RFC 7541, section 5.2). Lengths from 127 take more than one byte (7-bit prefix). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length: number[] = [Math.min(bytes.length, 127)];
  if (bytes.length >= 127) {
    let rest = bytes.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      length.push((rest % 128) | 128);
    }
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** What an HTTP/2 peer has sent. */
export interface FrameNotes {
  /** Whether the peer responded to our PING. */
  readonly hasPong: boolean;
  /** Codes of RST_STREAM and GOAWAY, such as `RST 1` or `GOAWAY 1`, and indexed statuses. */
  readonly notes: readonly string[];
}

/** The statuses in the static table (RFC 7541, appendix A). */
const STATUSES = ["200", "204", "206", "304", "400", "404", "500"];

/** Reads all received frames. */
export function readFrames(bytes: Buffer): FrameNotes {
  const notes: string[] = [];
  let hasPong = false;
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    const [type, flags] = [bytes[at + 3], bytes[at + 4] ?? 0];
    const payload = bytes.subarray(at + 9, at + 9 + length);
    at += 9 + length;
    if (payload.length < length) {
      break;
    }
    if (type === 1) {
      const status = STATUSES[(payload.find((byte) => byte >> 5 !== 1) ?? 0) - 0x88];
      notes.push(...(status === undefined ? [] : [`HTTP ${status}`]));
    } else if (type === 3 && length >= 4) {
      notes.push(`RST ${payload.readUInt32BE(0)}`);
    } else if (type === 7 && length >= 8) {
      notes.push(`GOAWAY ${payload.readUInt32BE(4)}`);
    } else if (type === 6 && (flags & 1) === 1) {
      hasPong ||= payload.equals(PING.subarray(9));
    }
  }
  return { hasPong, notes };
}
