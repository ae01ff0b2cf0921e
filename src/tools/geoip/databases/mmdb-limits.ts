import type { BlockSource } from "./block-source.js";

/** A part of a MaxMind DB file that consists of values: the data section or the metadata. */
export interface MmdbSection {
  /** The file. */
  readonly bytes: Uint8Array;
  /** The position of the section in the file. Pointers count from here. */
  readonly start: number;
  /** The position after the section. */
  readonly end: number;
  /** Makes bytes of the file available before they are read; undefined: all are. */
  readonly at?: BlockSource["at"];
}

// The limits of a value with everything in it. A value counts each time that a pointer leads to it, and so does the pointer.
// The records of City and ASN databases have fewer than 300 values.
const MAX_VALUES = 4_096;
const MAX_PAYLOAD = 65_536;
const MAX_DEPTH = 32;
/** The bytes of a value before its payload: its type and size, or a pointer. */
const MAX_HEAD = 5;

/** The type numbers of https://maxmind.github.io/MaxMind-DB/#data-field-format. */
const EXTENDED = 0;
const POINTER = 1;
const STRING = 2;
const DOUBLE = 3;
const BYTES = 4;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const INT32 = 8;
const UINT64 = 9;
const UINT128 = 10;
const ARRAY = 11;
const BOOLEAN = 14;
const FLOAT = 15;

/**
 * Checks that a value can be decoded, without decoding it. Returns what is wrong, or undefined. The decoder of `maxmind` has
 * no limits, and a few hundred bytes can stand for millions of values: arrays of pointers to the same array.
 *
 * A value is rejected if it has more than 4,096 values, 65,536 bytes of payload or 32 levels, leaves its section, has a
 * type or size that the format does not define, or a map with a key that is not a string.
 *
 * @param position that of the value in the file. Its bytes are available afterwards
 * @param visit is called with the place of each string and number in the value
 */
export function checkMmdbValue(
  { bytes, start, end, at }: MmdbSection,
  position: number,
  visit?: (position: number, size: number, isText: boolean) => void,
): string | undefined {
  let values = 0;
  let payload = 0;
  let problem: string | undefined;

  const reject = (what: string): -1 => {
    problem = what;
    return -1;
  };

  /** Returns the position after the value; -1 if the value is rejected. */
  function skip(position: number, depth: number, isKey: boolean): number {
    if (position < start || position >= end) {
      return reject("a value is not in its section");
    }
    values += 1;
    if (values > MAX_VALUES || depth > MAX_DEPTH) {
      return reject(`a value has more than ${MAX_VALUES} values or ${MAX_DEPTH} levels`);
    }
    at?.(position, Math.min(MAX_HEAD, end - position));
    const control = bytes[position] ?? 0;
    const kind = control >> 5;
    if (kind === POINTER) {
      const next = position + 2 + ((control >> 3) & 3);
      const target = next > end ? -1 : start + pointerAt(bytes, position);
      return skip(target, depth + 1, isKey) < 0 ? -1 : next;
    }
    let next = position + 1;
    const type = kind === EXTENDED ? 7 + (bytes[next++] ?? 0) : kind;
    let size = control & 0x1f;
    if (size > 28) {
      const length = size - 28;
      size = (SIZE_BASES[length] ?? 0) + unsigned(bytes, next, length);
      next += length;
    }
    // A map has no extended type.
    if (!isSizeOf(type, size) || (kind === EXTENDED && type === MAP)) {
      return reject(`a value has type ${type} and size ${size}, which the format does not allow`);
    }
    if (isKey && type !== STRING) {
      return reject("a key of a map is not a string");
    }
    if (type === MAP || type === ARRAY) {
      const count = type === MAP ? 2 * size : size;
      for (let index = 0; index < count && next >= 0; index++) {
        next = skip(next, depth + 1, type === MAP && index % 2 === 0);
      }
    } else if (type !== BOOLEAN) {
      payload += size;
      if (visit !== undefined && !isKey && next + size <= end) {
        at?.(next, size);
        visit(next, size, type === STRING);
      }
      next += size;
    }
    if (payload > MAX_PAYLOAD) {
      return reject(`a value has more than ${MAX_PAYLOAD} bytes`);
    }
    if (next > end) {
      return reject("a value is not in its section");
    }
    if (next > position) {
      at?.(position, next - position);
    }
    return next;
  }

  skip(position, 1, false);
  return problem;
}

/** Whether a value of a type can have a size: the number of bytes, of elements or of entries, or the value of a boolean. */
function isSizeOf(type: number, size: number): boolean {
  switch (type) {
    case STRING:
    case BYTES:
    case MAP:
    case ARRAY:
      return true;
    case DOUBLE:
      return size === 8;
    case FLOAT:
      return size === 4;
    case BOOLEAN:
      return size <= 1;
    case UINT16:
      return size <= 2;
    case UINT32:
    case INT32:
      return size <= 4;
    case UINT64:
      return size <= 8;
    case UINT128:
      return size <= 16;
    default:
      return false;
  }
}

/** What is added to a size of one, two or three bytes: https://maxmind.github.io/MaxMind-DB/#payload-size. */
const SIZE_BASES = [0, 29, 285, 65_821];

/** What is added to a pointer of one, two or three bytes. */
const POINTER_BASES = [0, 2_048, 526_336];

/** Reads a pointer: https://maxmind.github.io/MaxMind-DB/#pointer---1. One of four bytes has no bits in the control byte. */
function pointerAt(bytes: Uint8Array, position: number): number {
  const control = bytes[position] ?? 0;
  const length = 1 + ((control >> 3) & 3);
  const tail = unsigned(bytes, position + 1, length);
  const base = POINTER_BASES[length - 1];
  return base === undefined ? tail : base + (control & 7) * 256 ** length + tail;
}

/** Reads a number of some bytes, most significant first. One of more than 6 bytes can be rounded. */
export function unsigned(bytes: Uint8Array, position: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++) {
    value = value * 256 + (bytes[position + index] ?? 0);
  }
  return value;
}
