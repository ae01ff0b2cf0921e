import type { ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { type BinaryOutput, closeLength, openLength, writeVarint } from "./binary-output.js";
import { binaryScalarWriter, mapKeyReader, UNHANDLED, wireTypeOf } from "./binary-scalars.js";

/** Writes a value, or throws `UNHANDLED`. `isMade`: the message that it is in came from `create`, so that all in it has to. */
export type BinaryValueWriter = (out: BinaryOutput, value: unknown, isMade: boolean) => void;

/** Writes a value behind the tag of a field. */
export function tagged(number: number, wireType: WireType, write: BinaryValueWriter): BinaryValueWriter {
  const tag = tagOf(number, wireType);
  return (out, value, isMade) => {
    writeVarint(out, tag);
    write(out, value, isMade);
  };
}

/** Writes a value with its tag, but not a default: that is the one value of each type that is written with zeros alone. */
export function unlessDefault(
  number: number,
  wireType: WireType,
  write: BinaryValueWriter,
): BinaryValueWriter {
  const tag = tagOf(number, wireType);
  return (out, value, isMade) => {
    const before = out.position;
    writeVarint(out, tag);
    const start = out.position;
    write(out, value, isMade);
    if (out.octets[start] === 0 && isZero(out, start)) {
      out.position = before;
    }
  };
}

/** Whether all octets from `start` on are 0; of others, the first one tells most often. */
function isZero({ octets, position }: BinaryOutput, start: number): boolean {
  for (let index = start; index < position; index++) {
    if (octets[index] !== 0) {
      return false;
    }
  }
  return true;
}

/** Writes a value behind its length. */
export function withLength(write: BinaryValueWriter): BinaryValueWriter {
  return (out, value, isMade) => {
    const opened = openLength(out);
    write(out, value, isMade);
    closeLength(out, opened);
  };
}

/** Writes the elements of a list one by one. */
export function listWriter(write: BinaryValueWriter): BinaryValueWriter {
  return (out, value, isMade) => {
    for (const item of arrayOf(value)) {
      write(out, item, isMade);
    }
  };
}

/** Writes the elements of a list as one value, packed; `write` writes one without a tag. An empty list is not written. */
export function packedWriter(number: number, write: BinaryValueWriter): BinaryValueWriter {
  const writeItems = tagged(number, WireType.LengthDelimited, withLength(listWriter(write)));
  return (out, value, isMade) => {
    if (arrayOf(value).length > 0) {
      writeItems(out, value, isMade);
    }
  };
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw UNHANDLED;
  }
  return value;
}

/** Writes the entries of a map: messages of the key as field 1 and the value, which is given with its tag, as field 2. */
export function mapWriter(
  number: number,
  keyType: ScalarType,
  writeValue: BinaryValueWriter,
): BinaryValueWriter {
  const readKey = mapKeyReader(keyType);
  const writeKey = tagged(1, wireTypeOf(keyType), binaryScalarWriter(keyType));
  const writeEntry = tagged(
    number,
    WireType.LengthDelimited,
    withLength((out, entry, isMade) => {
      const [key, value] = entry as [string, unknown];
      writeKey(out, readKey(key), isMade);
      writeValue(out, value, isMade);
    }),
  );
  return (out, value, isMade) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw UNHANDLED;
    }
    for (const entry of Object.entries(value)) {
      // A key that `create` loses of some maps.
      if (entry[0] === "__proto__") {
        throw UNHANDLED;
      }
      writeEntry(out, entry, isMade);
    }
  };
}

function tagOf(number: number, wireType: WireType): number {
  return ((number << 3) | wireType) >>> 0;
}
