import { ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { type BinaryOutput, closeLength, openLength, writeVarint } from "./output.js";
import { type BinaryValueWriter, binaryScalarWriter, UNHANDLED, unhandled, wireTypeOf } from "./values.js";

// What surrounds values: tags, lengths, the elements of lists and the entries of maps.

/** Writes the tag of a field, then the value. */
export function tagged(number: number, wireType: WireType, write: BinaryValueWriter): BinaryValueWriter {
  const tag = tagOf(number, wireType);
  return (out, value, isCreated) => {
    writeVarint(out, tag);
    write(out, value, isCreated);
  };
}

/** Like {@link tagged}, but omits the default: the one value of each type whose encoding is only zeros. */
export function unlessDefault(
  number: number,
  wireType: WireType,
  write: BinaryValueWriter,
): BinaryValueWriter {
  const tag = tagOf(number, wireType);
  return (out, value, isCreated) => {
    const before = out.position;
    writeVarint(out, tag);
    const start = out.position;
    write(out, value, isCreated);
    if (out.bytes[start] === 0 && isZero(out, start)) {
      out.position = before;
    }
  };
}

/** Whether all bytes from `start` on are 0. */
function isZero({ bytes, position }: BinaryOutput, start: number): boolean {
  for (let index = start; index < position; index++) {
    if (bytes[index] !== 0) {
      return false;
    }
  }
  return true;
}

/** Writes the length of a value, then the value. */
export function withLength(write: BinaryValueWriter): BinaryValueWriter {
  return (out, value, isCreated) => {
    const opened = openLength(out);
    write(out, value, isCreated);
    closeLength(out, opened);
  };
}

/** Writes each element of a list. */
export function listWriter(write: BinaryValueWriter): BinaryValueWriter {
  return (out, value, isCreated) => {
    for (const item of arrayOf(value)) {
      write(out, item, isCreated);
    }
  };
}

/** Writes a packed list; `write` writes one element without a tag. Omits an empty list. */
export function packedWriter(number: number, write: BinaryValueWriter): BinaryValueWriter {
  const writeItems = tagged(number, WireType.LengthDelimited, withLength(listWriter(write)));
  return (out, value, isCreated) => {
    if (arrayOf(value).length > 0) {
      writeItems(out, value, isCreated);
    }
  };
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw UNHANDLED;
  }
  return value;
}

/** Writes the entries of a map: messages with the key as field 1 and the value as field 2; `writeValue` writes its tag as well. */
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
    withLength((out, entry, isCreated) => {
      const [key, value] = entry as [string, unknown];
      writeKey(out, readKey(key), isCreated);
      writeValue(out, value, isCreated);
    }),
  );
  return (out, value, isCreated) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw UNHANDLED;
    }
    for (const entry of Object.entries(value)) {
      // `create` drops this key from some maps.
      if (entry[0] === "__proto__") {
        throw UNHANDLED;
      }
      writeEntry(out, entry, isCreated);
    }
  };
}

/**
 * Returns a function that converts the key of a map, a property name, to a value of the key type: protobuf-es reads `01`
 * as 1. The function throws `UNHANDLED` for an invalid key.
 */
function mapKeyReader(type: ScalarType): (key: string) => unknown {
  switch (type) {
    case ScalarType.STRING:
      return (key) => key;
    case ScalarType.BOOL:
      return (key) => key === "true" || (key === "false" ? false : unhandled());
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return (key) => key;
    default:
      return (key) => (/^-?[0-9]+$/.test(key) ? Number(key) : unhandled());
  }
}

function tagOf(number: number, wireType: WireType): number {
  return ((number << 3) | wireType) >>> 0;
}
