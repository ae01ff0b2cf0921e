import { ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { type BinaryOutput, reserve, writeLongVarint, writeRaw, writeText, writeVarint } from "./output.js";

/** Thrown for an invalid or uncommon value, which protobuf-es then handles or rejects. One object, because a stack is slow. */
export const UNHANDLED = new Error("the value is left to protobuf-es");

/**
 * Writes a value; throws `UNHANDLED` for an invalid or uncommon one. `isCreated`: the message around it came from
 * `create`, so that messages in it must as well.
 */
export type BinaryValueWriter = (out: BinaryOutput, value: unknown, isCreated: boolean) => void;

/** The wire type of a scalar type. https://protobuf.dev/programming-guides/encoding/#structure */
export function wireTypeOf(type: ScalarType): WireType {
  switch (type) {
    case ScalarType.BYTES:
    case ScalarType.STRING:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

/**
 * Returns the writer of a scalar type, without a tag. It accepts the same values as protobuf-es: for 64-bit integers,
 * bigints, numbers and strings.
 */
export function binaryScalarWriter(type: ScalarType): BinaryValueWriter {
  return WRITERS[type];
}

const WRITERS: Readonly<Record<ScalarType, BinaryValueWriter>> = {
  [ScalarType.STRING]: writeString,
  [ScalarType.BOOL]: writeBool,
  [ScalarType.BYTES]: writeBytes,
  [ScalarType.DOUBLE]: writeDouble,
  [ScalarType.FLOAT]: writeFloat,
  [ScalarType.INT32]: writeInt32,
  [ScalarType.SINT32]: writeSint32,
  [ScalarType.UINT32]: writeUint32,
  [ScalarType.FIXED32]: writeFixed32,
  [ScalarType.SFIXED32]: writeSfixed32,
  [ScalarType.INT64]: writeInt64,
  [ScalarType.SINT64]: writeSint64,
  [ScalarType.UINT64]: writeUint64,
  [ScalarType.FIXED64]: writeFixed64,
  [ScalarType.SFIXED64]: writeSfixed64,
};

/** Throws `UNHANDLED`. */
export function unhandled(): never {
  throw UNHANDLED;
}

function writeString(out: BinaryOutput, value: unknown): void {
  if (typeof value !== "string") {
    throw UNHANDLED;
  }
  writeText(out, value);
}

function writeBool(out: BinaryOutput, value: unknown): void {
  if (typeof value !== "boolean") {
    throw UNHANDLED;
  }
  writeVarint(out, value ? 1 : 0);
}

function writeBytes(out: BinaryOutput, value: unknown): void {
  if (!(value instanceof Uint8Array)) {
    throw UNHANDLED;
  }
  writeVarint(out, value.length);
  writeRaw(out, value);
}

function writeDouble(out: BinaryOutput, value: unknown): void {
  if (typeof value !== "number") {
    throw UNHANDLED;
  }
  reserve(out, 8);
  out.view.setFloat64(out.position, value, true);
  out.position += 8;
}

/** The largest finite 32-bit float, (2 - 2^-23) * 2^127. */
const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

function writeFloat(out: BinaryOutput, value: unknown): void {
  if (typeof value !== "number" || (Number.isFinite(value) && Math.abs(value) > MAX_FLOAT)) {
    throw UNHANDLED;
  }
  reserve(out, 4);
  out.view.setFloat32(out.position, value, true);
  out.position += 4;
}

/** A signed 32-bit integer; -0 becomes 0. */
function int32(value: unknown): number {
  if (typeof value !== "number" || (value | 0) !== value) {
    throw UNHANDLED;
  }
  return value | 0;
}

/** An unsigned 32-bit integer; -0 becomes 0. */
function uint32(value: unknown): number {
  if (typeof value !== "number" || value >>> 0 !== value) {
    throw UNHANDLED;
  }
  return value >>> 0;
}

function writeInt32(out: BinaryOutput, value: unknown): void {
  const number = int32(value);
  if (number < 0) {
    // Sign-extended to 64 bits.
    writeLongVarint(out, number, -1);
  } else {
    writeVarint(out, number);
  }
}

function writeSint32(out: BinaryOutput, value: unknown): void {
  const number = int32(value);
  writeVarint(out, ((number << 1) ^ (number >> 31)) >>> 0);
}

function writeUint32(out: BinaryOutput, value: unknown): void {
  writeVarint(out, uint32(value));
}

function writeFixed32(out: BinaryOutput, value: unknown): void {
  writeHalf(out, uint32(value));
}

function writeSfixed32(out: BinaryOutput, value: unknown): void {
  writeHalf(out, int32(value));
}

function writeHalf(out: BinaryOutput, value: number): void {
  reserve(out, 4);
  out.view.setInt32(out.position, value, true);
  out.position += 4;
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

function int64(value: unknown): bigint {
  const number = bigintOf(value);
  return number < MIN_INT64 || number > MAX_INT64 ? unhandled() : number;
}

function uint64(value: unknown): bigint {
  const number = bigintOf(value);
  return number < 0n || number > MAX_UINT64 ? unhandled() : number;
}

function bigintOf(value: unknown): bigint {
  if (typeof value === "bigint") {
    return value;
  }
  if (typeof value !== "number" && typeof value !== "string") {
    return unhandled();
  }
  try {
    return BigInt(value);
  } catch {
    return unhandled();
  }
}

function writeInt64(out: BinaryOutput, value: unknown): void {
  writeBigintVarint(out, int64(value));
}

function writeUint64(out: BinaryOutput, value: unknown): void {
  writeBigintVarint(out, uint64(value));
}

function writeSint64(out: BinaryOutput, value: unknown): void {
  const number = int64(value);
  writeBigintVarint(out, (number << 1n) ^ (number >> 63n));
}

function writeFixed64(out: BinaryOutput, value: unknown): void {
  writeLong(out, uint64(value));
  out.position += 8;
}

function writeSfixed64(out: BinaryOutput, value: unknown): void {
  writeLong(out, int64(value));
  out.position += 8;
}

function writeBigintVarint(out: BinaryOutput, value: bigint): void {
  // The output serves as scratch space to split the value; the varint then overwrites it.
  writeLong(out, value);
  const low = out.view.getInt32(out.position, true);
  writeLongVarint(out, low, out.view.getInt32(out.position + 4, true));
}

/** Writes the lower 64 bits without advancing the position. */
function writeLong(out: BinaryOutput, value: bigint): void {
  reserve(out, 8);
  out.view.setBigInt64(out.position, value, true);
}
