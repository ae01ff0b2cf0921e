/**
 * The content of a record. An integer from 0 to 2^32-1 is written as `uint32`, any other number as `double`, a bigint as
 * `uint64`; the other types of the format are not supported.
 */
export type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue };

/** A builder for the data section of a MaxMind DB. */
export interface MmdbDataSection {
  /** Adds a value, unless there is an equal one. Returns its offset in the section. */
  add(value: MmdbValue): number;
  /** Returns the current bytes of the section. */
  bytes(): Buffer;
}

const UINT32_MAX = 0xffff_ffff;

/** Type numbers of https://maxmind.github.io/MaxMind-DB/#data-field-format. */
const Type = {
  pointer: 1,
  string: 2,
  double: 3,
  uint16: 5,
  uint32: 6,
  map: 7,
  uint64: 9,
  array: 11,
  boolean: 14,
} as const;

/**
 * Creates a data section. Equal values are stored once. A string that occurs again in any value is written as a pointer
 * to its first occurrence if that is shorter.
 */
export function mmdbDataSection(): MmdbDataSection {
  const chunks: Buffer[] = [];
  const offsetOfValue = new Map<string, number>();
  const offsetOfString = new Map<string, number>();
  let size = 0;

  const push = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
  };
  const write = (value: MmdbValue): void => {
    if (typeof value === "string") {
      const encoded = encodeString(value);
      const earlier = offsetOfString.get(value);
      const pointer = earlier === undefined ? undefined : encodePointer(earlier);
      if (pointer !== undefined && pointer.length < encoded.length) {
        push(pointer);
      } else {
        offsetOfString.set(value, earlier ?? size);
        push(encoded);
      }
    } else if (isArray(value)) {
      push(controlBytes(Type.array, value.length));
      value.forEach(write);
    } else if (typeof value === "object") {
      const entries = Object.entries(value);
      push(controlBytes(Type.map, entries.length));
      for (const [key, member] of entries) {
        write(key);
        write(member);
      }
    } else {
      push(encodeScalar(value));
    }
  };

  return {
    add(value) {
      const key = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member));
      const earlier = offsetOfValue.get(key);
      if (earlier !== undefined) {
        return earlier;
      }
      const offset = size;
      offsetOfValue.set(key, offset);
      write(value);
      return offset;
    },
    bytes: () => Buffer.concat(chunks, size),
  };
}

/** Encodes a `uint16`, the required type of some metadata fields. */
export function encodeUint16(value: number): Buffer {
  return encodeUnsigned(Type.uint16, BigInt(value));
}

/** Encodes a value without pointers, as the metadata section requires. */
export function encodePlain(value: MmdbValue): Buffer {
  if (typeof value === "string") {
    return encodeString(value);
  }
  if (isArray(value)) {
    return Buffer.concat([controlBytes(Type.array, value.length), ...value.map(encodePlain)]);
  }
  if (typeof value === "object") {
    return encodeMap(Object.entries(value).map(([key, member]) => [key, encodePlain(member)]));
  }
  return encodeScalar(value);
}

/** Encodes a map of encoded values. */
export function encodeMap(entries: readonly (readonly [key: string, value: Buffer])[]): Buffer {
  return Buffer.concat([
    controlBytes(Type.map, entries.length),
    ...entries.flatMap(([key, value]) => [encodeString(key), value]),
  ]);
}

// Array.isArray does not remove readonly arrays from the union.
function isArray(value: MmdbValue): value is readonly MmdbValue[] {
  return Array.isArray(value);
}

function encodeScalar(value: number | bigint | boolean): Buffer {
  if (typeof value === "boolean") {
    return controlBytes(Type.boolean, value ? 1 : 0);
  }
  if (typeof value === "bigint") {
    return encodeUnsigned(Type.uint64, value);
  }
  if (Number.isInteger(value) && value >= 0 && value <= UINT32_MAX) {
    return encodeUnsigned(Type.uint32, BigInt(value));
  }
  const double = Buffer.alloc(8);
  double.writeDoubleBE(value);
  return Buffer.concat([controlBytes(Type.double, 8), double]);
}

function encodeString(text: string): Buffer {
  const utf8 = Buffer.from(text, "utf8");
  return Buffer.concat([controlBytes(Type.string, utf8.length), utf8]);
}

/** Encodes an integer in big-endian without leading zero bytes; zero has no bytes. */
function encodeUnsigned(type: number, value: bigint): Buffer {
  const hex = value === 0n ? "" : value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([controlBytes(type, bytes.length), bytes]);
}

/** The control byte, the extended type and the size: https://maxmind.github.io/MaxMind-DB/#payload-size. */
function controlBytes(type: number, size: number): Buffer {
  const [short, rest, restBytes] =
    size < 29
      ? [size, 0, 0]
      : size < 285
        ? [29, size - 29, 1]
        : size < 65_821
          ? [30, size - 285, 2]
          : [31, size - 65_821, 3];
  const isExtended = type > 7;
  const bytes = Buffer.alloc(1 + (isExtended ? 1 : 0) + restBytes);
  let offset = bytes.writeUInt8(((isExtended ? 0 : type) << 5) | short);
  if (isExtended) {
    offset = bytes.writeUInt8(type - 7, offset);
  }
  if (restBytes > 0) {
    bytes.writeUIntBE(rest, offset, restBytes);
  }
  return bytes;
}

/** The four lengths of a pointer: https://maxmind.github.io/MaxMind-DB/#pointer---1. */
function encodePointer(offset: number): Buffer {
  const control = Type.pointer << 5;
  if (offset < 2_048) {
    return Buffer.from([control | (offset >> 8), offset & 0xff]);
  }
  if (offset < 526_336) {
    const value = offset - 2_048;
    return Buffer.from([control | (1 << 3) | (value >> 16), (value >> 8) & 0xff, value & 0xff]);
  }
  if (offset < 134_744_064) {
    const value = offset - 526_336;
    const bytes = Buffer.from([control | (2 << 3) | (value >> 24), 0, 0, 0]);
    bytes.writeUIntBE(value & 0xff_ffff, 1, 3);
    return bytes;
  }
  const bytes = Buffer.from([control | (3 << 3), 0, 0, 0, 0]);
  bytes.writeUInt32BE(offset, 1);
  return bytes;
}
