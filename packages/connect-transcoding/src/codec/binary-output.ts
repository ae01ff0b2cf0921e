/** Octets that are being written. `octets`, `buffer` and `view` are the same memory, which `reserve` replaces as it grows. */
export interface BinaryOutput {
  octets: Uint8Array;
  buffer: Buffer;
  view: DataView;
  /** Where the next octet goes; what comes before is written. */
  position: number;
}

/** Makes an output with room for `size` octets to begin with. */
export function createBinaryOutput(size: number): BinaryOutput {
  return { ...memory(size), position: 0 };
}

/** Makes room for `count` more octets; all that is written at a position needs it before. */
export function reserve(out: BinaryOutput, count: number): void {
  if (out.position + count > out.octets.length) {
    const grown = memory(Math.max(out.octets.length * 2, out.position + count));
    grown.octets.set(out.octets.subarray(0, out.position));
    Object.assign(out, grown);
  }
}

function memory(size: number): Pick<BinaryOutput, "octets" | "buffer" | "view"> {
  // Of its own, not from Buffer's pool, which others read and write.
  const block = new ArrayBuffer(size);
  return { octets: new Uint8Array(block), buffer: Buffer.from(block), view: new DataView(block) };
}

/** The most octets that a varint has. https://protobuf.dev/programming-guides/encoding/#varints */
const VARINT_BYTES = 10;

/** Writes a varint of 32 bits, which `value` has without a sign. */
export function writeVarint(out: BinaryOutput, value: number): void {
  reserve(out, VARINT_BYTES);
  if (value < 0x80) {
    out.octets[out.position++] = value;
  } else {
    out.position = putVarint(out.octets, out.position, value);
  }
}

/** Writes a varint of 64 bits, as its lower and its higher half. */
export function writeLongVarint(out: BinaryOutput, low: number, high: number): void {
  reserve(out, VARINT_BYTES);
  const { octets } = out;
  let { position } = out;
  let lower = low >>> 0;
  let higher = high >>> 0;
  while (higher !== 0 || lower > 0x7f) {
    octets[position++] = (lower & 0x7f) | 0x80;
    lower = ((lower >>> 7) | (higher << 25)) >>> 0;
    higher >>>= 7;
  }
  octets[position++] = lower;
  out.position = position;
}

/** Writes octets as they are. */
export function writeRaw(out: BinaryOutput, octets: Uint8Array): void {
  reserve(out, octets.length);
  out.octets.set(octets, out.position);
  out.position += octets.length;
}

/** Leaves room for the length of what is written from here on; `closeLength` takes what this returns. */
export function openLength(out: BinaryOutput): number {
  reserve(out, 1);
  return out.position++;
}

/** Writes the length of what was written since `openLength`, which moves up where the length has more than an octet. */
export function closeLength(out: BinaryOutput, opened: number): void {
  fillLength(out, opened, opened + 1);
}

/** The longest text that is written unit by unit: beyond, a call of the runtime's own writer is quicker. */
const SHORT_TEXT = 32;

/**
 * Writes a string as UTF-8 behind its length. Half of a surrogate pair becomes U+FFFD, as `TextEncoder` does it.
 * https://encoding.spec.whatwg.org/#interface-textencoder
 */
export function writeText(out: BinaryOutput, text: string): void {
  const { length } = text;
  // No unit of UTF-16 has more than three octets in UTF-8.
  reserve(out, VARINT_BYTES + length * 3);
  if (length > SHORT_TEXT || !writeShortText(out, text)) {
    const opened = out.position;
    const start = opened + varintWidth(length);
    out.position = start + out.buffer.write(text, start);
    fillLength(out, opened, start);
  }
}

/** Whether a text could be written here; without surrogates it can, and its length has one octet. */
function writeShortText(out: BinaryOutput, text: string): boolean {
  const { octets, position } = out;
  const { length } = text;
  let end = position + 1;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      octets[end++] = unit;
    } else if (unit < 0x800) {
      octets[end++] = 0xc0 | (unit >> 6);
      octets[end++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      octets[end++] = 0xe0 | (unit >> 12);
      octets[end++] = 0x80 | ((unit >> 6) & 0x3f);
      octets[end++] = 0x80 | (unit & 0x3f);
    } else {
      return false;
    }
  }
  octets[position] = end - position - 1;
  out.position = end;
  return true;
}

/** Writes at `opened` the length of what stands from `start` up to the position, and closes or widens the gap between. */
function fillLength(out: BinaryOutput, opened: number, start: number): void {
  const length = out.position - start;
  const moved = opened + varintWidth(length);
  if (moved !== start) {
    reserve(out, VARINT_BYTES);
    out.octets.copyWithin(moved, start, out.position);
    out.position += moved - start;
  }
  putVarint(out.octets, opened, length);
}

function putVarint(octets: Uint8Array, position: number, value: number): number {
  let end = position;
  let rest = value;
  while (rest > 0x7f) {
    octets[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  octets[end++] = rest;
  return end;
}

function varintWidth(value: number): number {
  if (value < 0x80) {
    return 1;
  }
  // Seven bits an octet.
  return Math.ceil((32 - Math.clz32(value)) / 7);
}
