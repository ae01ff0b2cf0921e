/** RFC 9113, section 3.4. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** A frame as RFC 9113, section 4.1, has it. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const octets = Buffer.alloc(9 + payload.length);
  octets.writeUIntBE(payload.length, 0, 3);
  octets[3] = type;
  octets[4] = flags;
  octets.writeUInt32BE(stream % 2 ** 31, 5);
  octets.set(payload, 9);
  return octets;
}

/** Whoever still reads answers this. */
export const PING = frame(6, 0, 0, Buffer.from("fuzzfuzz"));

/** What a header block begins with. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** The pseudo-headers of a request (RFC 9113, section 8.3.1). */
export function pseudoHeaders(verb: string, target: string): Fields {
  return [
    [":method", verb],
    [":scheme", "http"],
    [":path", target],
    [":authority", "a.example"],
  ];
}

/**
 * The headers of a request in one block, none of them compressed (RFC 7541, section 6.2). The flags are END_HEADERS unless they
 * are given. How a field is to be indexed is 0 (not), 0x10 (never) or 0x40 (from now on).
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

/** Flags of a frame of headers. */
export const END_HEADERS = 4;
export const END_STREAM = 1;

/** A string literal (RFC 7541, section 5.2) whose length takes one octet or, as an integer of a 7-bit prefix, more. */
function text(value: string): Buffer {
  const octets = Buffer.from(value);
  const length: number[] = [Math.min(octets.length, 127)];
  if (octets.length >= 127) {
    let rest = octets.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      length.push((rest % 128) | 128);
    }
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), octets]);
}

/** What a peer that speaks HTTP/2 has said. */
export interface FrameNotes {
  /** Whether our PING was answered. */
  readonly hasPong: boolean;
  /** Codes of RST_STREAM and GOAWAY, as `RST 1` or `GOAWAY 1`, and statuses as far as one octet tells them. */
  readonly notes: readonly string[];
}

/** RFC 7541, appendix A: the statuses that have an index of their own. */
const STATUSES = ["200", "204", "206", "304", "400", "404", "500"];

/** Goes through the frames that came. */
export function readFrames(octets: Buffer): FrameNotes {
  const notes: string[] = [];
  let hasPong = false;
  for (let at = 0; at + 9 <= octets.length; ) {
    const length = octets.readUIntBE(at, 3);
    const [type, flags] = [octets[at + 3], octets[at + 4] ?? 0];
    const payload = octets.subarray(at + 9, at + 9 + length);
    at += 9 + length;
    if (payload.length < length) {
      break;
    }
    if (type === 1) {
      const status = STATUSES[(payload.find((octet) => octet >> 5 !== 1) ?? 0) - 0x88];
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
