import { UNHANDLED } from "./values.js";

/** Bytes to read. The functions here throw `UNHANDLED` for a value that is malformed or goes beyond the end of the bytes. */
export interface BinaryInput {
  readonly bytes: Uint8Array;
  /** The offset of the next byte to read. */
  position: number;
  /** The same bytes, to read long strings; created for the first one. */
  buffer: Buffer | undefined;
  /** The number of messages that are being read, each in the one before it. */
  depth: number;
}

/** The maximum length of a varint in bytes. https://protobuf.dev/programming-guides/encoding/#varints */
const VARINT_BYTES = 10;

function unhandled(): never {
  throw UNHANDLED;
}

/** Reads the lower 32 bits of a varint, as an unsigned integer. */
export function readVarint(input: BinaryInput): number {
  const { bytes } = input;
  let byte = bytes[input.position++] ?? unhandled();
  if (byte < 0x80) {
    return byte;
  }
  let value = byte & 0x7f;
  for (let count = 1; count < VARINT_BYTES; count++) {
    byte = bytes[input.position++] ?? unhandled();
    if (count < 5) {
      value |= (byte & 0x7f) << (7 * count);
    }
    if (byte < 0x80) {
      return value >>> 0;
    }
  }
  throw UNHANDLED;
}

/** The largest last byte of a tag in five bytes: a tag has 32 bits, and the first four bytes hold 28 of them. */
const MAX_FIFTH_BYTE = 0x0f;

/** Reads the tag of a field. Unlike other varints, it must fit in 32 bits. */
export function readTag(input: BinaryInput): number {
  const start = input.position;
  const tag = readVarint(input);
  const length = input.position - start;
  if (length > 5 || (length === 5 && (input.bytes[input.position - 1] ?? 0) > MAX_FIFTH_BYTE)) {
    throw UNHANDLED;
  }
  return tag;
}

/** Reads a 64-bit varint; `join` makes a value from its lower and upper 32 bits, both signed. */
export function readLongVarint<T>(input: BinaryInput, join: (low: number, high: number) => T): T {
  const { bytes } = input;
  let low = 0;
  let high = 0;
  for (let count = 0; count < VARINT_BYTES; count++) {
    const byte = bytes[input.position++] ?? unhandled();
    const bits = byte & 0x7f;
    if (count < 5) {
      low |= bits << (7 * count);
    }
    if (count === 4) {
      // Four of the seven bits are in the lower half.
      high = bits >> 4;
    } else if (count > 4) {
      high |= bits << (7 * count - 32);
    }
    if (byte < 0x80) {
      return join(low, high);
    }
  }
  throw UNHANDLED;
}

/** Reads 32 bits of fixed length, as a signed integer. */
export function readHalf(input: BinaryInput): number {
  const { bytes, position } = input;
  const last = bytes[position + 3] ?? unhandled();
  input.position = position + 4;
  return (
    (bytes[position] ?? 0) |
    ((bytes[position + 1] ?? 0) << 8) |
    ((bytes[position + 2] ?? 0) << 16) |
    (last << 24)
  );
}

/** Reads a length. Returns the offset at which that many bytes end. */
export function readEnd(input: BinaryInput): number {
  const length = readVarint(input);
  const end = input.position + length;
  return end > input.bytes.length ? unhandled() : end;
}

/** Reads a length, then a copy of that many bytes. */
export function readBytes(input: BinaryInput): Uint8Array<ArrayBuffer> {
  const end = readEnd(input);
  const copy = copyBytes(input.bytes, input.position, end);
  input.position = end;
  return copy;
}

/** Copies bytes to memory of their own. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

/** Longer strings are read by Buffer.toString, which is faster for them than a loop. */
const SHORT_TEXT = 16;

const REPLACEMENT_CHARACTER = "\ufffd";
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Reads a length, then a string in UTF-8. Throws `UNHANDLED` also for a string with U+FFFD, which may replace invalid
 * bytes, and for one that begins with a byte order mark, which protobuf-es removes.
 */
export function readText(input: BinaryInput): string {
  const { bytes } = input;
  const end = readEnd(input);
  const start = input.position;
  input.position = end;
  const short = end - start <= SHORT_TEXT ? shortAscii(bytes, start, end) : undefined;
  if (short !== undefined) {
    return short;
  }
  input.buffer ??=
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = input.buffer.toString("utf8", start, end);
  return text.includes(REPLACEMENT_CHARACTER) || text.charCodeAt(0) === BYTE_ORDER_MARK ? unhandled() : text;
}

/** Reads a short string of ASCII; returns undefined for another one. */
function shortAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  let index = start;
  // Four at a time, because each call costs more than the characters.
  for (; index + 4 <= end; index += 4) {
    const a = bytes[index] ?? 0;
    const b = bytes[index + 1] ?? 0;
    const c = bytes[index + 2] ?? 0;
    const d = bytes[index + 3] ?? 0;
    if ((a | b | c | d) > 0x7f) {
      return undefined;
    }
    text += String.fromCharCode(a, b, c, d);
  }
  for (; index < end; index++) {
    const unit = bytes[index] ?? 0;
    if (unit > 0x7f) {
      return undefined;
    }
    text += String.fromCharCode(unit);
  }
  return text;
}
