import { protoInt64, ScalarType } from "@bufbuild/protobuf";
import { type BinaryInput, readBytes, readHalf, readLongVarint, readText, readVarint } from "./input.js";

/** Reads a value without its tag; throws `UNHANDLED` for a malformed one. */
export type BinaryValueReader = (input: BinaryInput) => unknown;

/** Returns the reader of a scalar type. 64-bit integers become bigints, as with `protoInt64`. */
export function binaryScalarReader(type: ScalarType): BinaryValueReader {
  return READERS[type];
}

const READERS: Readonly<Record<ScalarType, BinaryValueReader>> = {
  [ScalarType.STRING]: readText,
  [ScalarType.BOOL]: (input) => readLongVarint(input, isNotZero),
  [ScalarType.BYTES]: readBytes,
  [ScalarType.DOUBLE]: readDouble,
  [ScalarType.FLOAT]: readFloat,
  [ScalarType.INT32]: (input) => readVarint(input) | 0,
  [ScalarType.SINT32]: readSint32,
  [ScalarType.UINT32]: readVarint,
  [ScalarType.FIXED32]: (input) => readHalf(input) >>> 0,
  [ScalarType.SFIXED32]: readHalf,
  [ScalarType.INT64]: (input) => readLongVarint(input, signed),
  [ScalarType.SINT64]: (input) => readLongVarint(input, zigzag),
  [ScalarType.UINT64]: (input) => readLongVarint(input, unsigned),
  [ScalarType.FIXED64]: (input) => unsigned(readHalf(input), readHalf(input)),
  [ScalarType.SFIXED64]: (input) => signed(readHalf(input), readHalf(input)),
};

function isNotZero(low: number, high: number): boolean {
  return (low | high) !== 0;
}

function signed(low: number, high: number): unknown {
  return protoInt64.dec(low, high);
}

function unsigned(low: number, high: number): unknown {
  return protoInt64.uDec(low, high);
}

/** Decodes ZigZag. https://protobuf.dev/programming-guides/encoding/#signed-ints */
function zigzag(low: number, high: number): unknown {
  const sign = -(low & 1);
  return protoInt64.dec(((low >>> 1) | (high << 31)) ^ sign, (high >>> 1) ^ sign);
}

function readSint32(input: BinaryInput): number {
  const value = readVarint(input);
  return (value >>> 1) ^ -(value & 1);
}

/** Converts the bits of floating point numbers. */
const scratch = new DataView(new ArrayBuffer(8));

function readFloat(input: BinaryInput): number {
  scratch.setInt32(0, readHalf(input), true);
  return scratch.getFloat32(0, true);
}

function readDouble(input: BinaryInput): number {
  scratch.setInt32(0, readHalf(input), true);
  scratch.setInt32(4, readHalf(input), true);
  return scratch.getFloat64(0, true);
}
