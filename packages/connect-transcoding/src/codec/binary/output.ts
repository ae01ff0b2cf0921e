/** A growing byte buffer. `bytes`, `buffer` and `view` share one block of memory; `reserve` replaces it with a larger one. */
export interface BinaryOutput {
  bytes: Uint8Array;
  buffer: Buffer;
  view: DataView;
  /** The offset of the next byte to write. */
  position: number;
}

/** Creates an output with an initial capacity of `size` bytes. */
export function createBinaryOutput(size: number): BinaryOutput {
  return { ...memory(size), position: 0 };
}

/** Makes room for `count` more bytes. Call it before each write. */
export function reserve(out: BinaryOutput, count: number): void {
  if (out.position + count > out.bytes.length) {
    const grown = memory(Math.max(out.bytes.length * 2, out.position + count));
    grown.bytes.set(out.bytes.subarray(0, out.position));
    out.bytes = grown.bytes;
    out.buffer = grown.buffer;
    out.view = grown.view;
  }
}

function memory(size: number): Pick<BinaryOutput, "bytes" | "buffer" | "view"> {
  // Not from Buffer's pool, which other code shares.
  const block = new ArrayBuffer(size);
  return { bytes: new Uint8Array(block), buffer: Buffer.from(block), view: new DataView(block) };
}

/** The maximum length of a varint in bytes. https://protobuf.dev/programming-guides/encoding/#varints */
const VARINT_BYTES = 10;

/** Writes an unsigned 32-bit integer as a varint. */
export function writeVarint(out: BinaryOutput, value: number): void {
  reserve(out, VARINT_BYTES);
  if (value < 0x80) {
    out.bytes[out.position++] = value;
  } else {
    out.position = putVarint(out.bytes, out.position, value);
  }
}

/** Writes a 64-bit varint, from its lower and upper 32 bits. */
export function writeLongVarint(out: BinaryOutput, low: number, high: number): void {
  reserve(out, VARINT_BYTES);
  const { bytes } = out;
  let { position } = out;
  let lower = low >>> 0;
  let higher = high >>> 0;
  while (higher !== 0 || lower > 0x7f) {
    bytes[position++] = (lower & 0x7f) | 0x80;
    lower = ((lower >>> 7) | (higher << 25)) >>> 0;
    higher >>>= 7;
  }
  bytes[position++] = lower;
  out.position = position;
}

/** Writes bytes without a length. */
export function writeRaw(out: BinaryOutput, bytes: Uint8Array): void {
  reserve(out, bytes.length);
  out.bytes.set(bytes, out.position);
  out.position += bytes.length;
}

/** Reserves a byte for the length of the bytes that follow. Returns the argument of {@link closeLength}. */
export function openLength(out: BinaryOutput): number {
  reserve(out, 1);
  return out.position++;
}

/** Writes the length of all bytes since `openLength`; moves them if the length needs more than one byte. */
export function closeLength(out: BinaryOutput, opened: number): void {
  fillLength(out, opened, opened + 1);
}

/** Longer strings are written by Buffer.write, which is faster for them than a loop. */
const SHORT_TEXT = 32;

/**
 * Writes the length of a string in UTF-8, then the string. A lone surrogate becomes U+FFFD, as with `TextEncoder`.
 * https://encoding.spec.whatwg.org/#interface-textencoder
 */
export function writeText(out: BinaryOutput, text: string): void {
  const { length } = text;
  // A UTF-16 code unit has at most three bytes in UTF-8.
  reserve(out, VARINT_BYTES + length * 3);
  if (length > SHORT_TEXT || !writeShortText(out, text)) {
    const opened = out.position;
    const start = opened + varintWidth(length);
    out.position = start + out.buffer.write(text, start);
    fillLength(out, opened, start);
  }
}

/** Writes a short string and returns true; returns false for one with surrogates. */
function writeShortText(out: BinaryOutput, text: string): boolean {
  const { bytes, position } = out;
  const { length } = text;
  let end = position + 1;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      bytes[end++] = unit;
    } else if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6);
      bytes[end++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[end++] = 0xe0 | (unit >> 12);
      bytes[end++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[end++] = 0x80 | (unit & 0x3f);
    } else {
      return false;
    }
  }
  bytes[position] = end - position - 1;
  out.position = end;
  return true;
}

/** Writes the length of the bytes from `start` up to the position at `opened`, and moves them to follow it. */
function fillLength(out: BinaryOutput, opened: number, start: number): void {
  const length = out.position - start;
  const moved = opened + varintWidth(length);
  if (moved !== start) {
    reserve(out, VARINT_BYTES);
    out.bytes.copyWithin(moved, start, out.position);
    out.position += moved - start;
  }
  putVarint(out.bytes, opened, length);
}

function putVarint(bytes: Uint8Array, position: number, value: number): number {
  let end = position;
  let rest = value;
  while (rest > 0x7f) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

function varintWidth(value: number): number {
  if (value < 0x80) {
    return 1;
  }
  // Seven bits per byte.
  return Math.ceil((32 - Math.clz32(value)) / 7);
}
