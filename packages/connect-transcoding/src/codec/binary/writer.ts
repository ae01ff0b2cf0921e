import { create, type DescField, type DescMessage, ScalarType, toBinary } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type FieldPlace, isJsonStruct, type MessageInit, placeOf } from "../message-field.js";
import { listWriter, mapWriter, packedWriter, tagged, unlessDefault, withLength } from "./framing.js";
import { type BinaryOutput, createBinaryOutput, writeRaw } from "./output.js";
import { type BinaryValueWriter, binaryScalarWriter, UNHANDLED, wireTypeOf } from "./values.js";

/**
 * Writes a message, or a plain object that `create` accepts, in the binary format. Leaves `prefixBytes` zero bytes
 * before it. The result is not shared, but a short one lies in the pool of `Buffer.allocUnsafe`: copy it to keep it for
 * long, or it keeps the 8 KiB of the pool alive.
 */
export type BinaryMessageWriter = (message: MessageInit, prefixBytes?: number) => Uint8Array;

/** Writers, created once per message type and on demand, because messages can contain themselves. */
export interface BinaryWriters {
  ofMessage(desc: DescMessage): BinaryMessageWriter;
}

/** Writes the fields of a message. */
type FieldsWriter = (out: BinaryOutput, message: MessageInit, isCreated: boolean) => void;

/** A field, compiled. */
interface FieldWriter {
  readonly place: FieldPlace;
  /** Whether the field can be absent from a message that came from `create`. */
  readonly isOptional: boolean;
  /** Writes the field with its tag; undefined for a field that protobuf-es writes. */
  readonly write: BinaryValueWriter | undefined;
}

/** The initial capacity of an output, and the limit up to which it is kept for the next message. */
const FIRST_BYTES = 4 * 1024;
const KEPT_BYTES = 256 * 1024;

/** Up to this length, a loop copies faster than `set`, which needs a view. */
const SHORT_BYTES = 64;

/**
 * Creates writers of the binary format. Their output equals `toBinary(desc, create(desc, message))` byte for byte, in a
 * fraction of the time: they create no message and allocate only the result. Protobuf-es writes rare cases: messages
 * with unknown fields or extensions, Struct fields, group encoding, and required fields. It also rejects invalid values.
 *
 * The output is reused for the next message, up to 256 KiB. A call takes ownership of it while it runs, so that a call that
 * throws, and a nested call, never leave it in use twice.
 *
 * https://protobuf.dev/programming-guides/encoding/
 */
export function createBinaryWriters(): BinaryWriters {
  const fieldsWriters = new Map<DescMessage, FieldsWriter>();
  let spare: BinaryOutput | undefined;

  const fieldsOf = (desc: DescMessage): FieldsWriter => {
    const writer = fieldsWriters.get(desc) ?? makeFieldsWriter(desc, fieldsOf);
    fieldsWriters.set(desc, writer);
    return writer;
  };

  return {
    ofMessage: (desc) => {
      const write = fieldsOf(desc);
      return (message, prefixBytes = 0) => {
        const out = spare ?? createBinaryOutput(FIRST_BYTES);
        spare = undefined;
        out.position = 0;
        try {
          write(out, message, false);
        } catch (thrown) {
          if (thrown !== UNHANDLED) {
            throw thrown;
          }
          out.position = 0;
          writeRaw(out, byLibrary(desc, message));
        }
        const { bytes, position } = out;
        const written = Buffer.allocUnsafe(prefixBytes + position);
        for (let index = 0; index < prefixBytes; index++) {
          written[index] = 0;
        }
        if (position > SHORT_BYTES) {
          written.set(bytes.subarray(0, position), prefixBytes);
        } else {
          for (let index = 0; index < position; index++) {
            written[prefixBytes + index] = bytes[index] ?? 0;
          }
        }
        if (out.bytes.length <= KEPT_BYTES) {
          spare = out;
        }
        return written;
      };
    },
  };
}

/** Writes a message with protobuf-es. */
function byLibrary(desc: DescMessage, message: MessageInit): Uint8Array {
  return toBinary(desc, create(desc, message));
}

function makeFieldsWriter(desc: DescMessage, fieldsOf: (desc: DescMessage) => FieldsWriter): FieldsWriter {
  const { typeName } = desc;
  const hasRequired = desc.fields.some(
    ({ presence }) => presence === FeatureSet_FieldPresence.LEGACY_REQUIRED,
  );
  let fields: readonly FieldWriter[] | undefined;
  return (out, message, isInCreated) => {
    // Compiled with the first message, because a field can have this very type.
    fields ??= desc.fields
      .toSorted((a, b) => a.number - b.number)
      .map((field) => makeFieldWriter(field, fieldsOf));
    const isCreated = message.$typeName === typeName;
    if (isInCreated && !isCreated) {
      throw UNHANDLED;
    }
    if (hasRequired || (isCreated && message.$unknown !== undefined)) {
      writeRaw(out, byLibrary(desc, message));
      return;
    }
    const start = out.position;
    for (const field of fields) {
      const value = heldValue(field, message, isCreated);
      if (value === undefined) {
        continue;
      }
      if (field.write === undefined) {
        out.position = start;
        writeRaw(out, byLibrary(desc, message));
        return;
      }
      field.write(out, value, isCreated);
    }
  };
}

/**
 * The value of a field; undefined where it is absent. In a plain object, null counts as absent. Throws `UNHANDLED` for
 * undefined or null where protobuf-es does not treat them as absent.
 */
function heldValue({ place, isOptional }: FieldWriter, message: MessageInit, isCreated: boolean): unknown {
  const { property, chosen, isInherited } = place;
  const held = isInherited && !Object.hasOwn(message, property) ? undefined : message[property];
  if (held === undefined || held === null) {
    if (isCreated && (held === null || !isOptional)) {
      throw UNHANDLED;
    }
    return undefined;
  }
  if (chosen === undefined) {
    return held;
  }
  const oneof = held as { readonly case?: unknown; readonly value?: unknown };
  if (oneof.case !== chosen) {
    return undefined;
  }
  if (oneof.value === undefined) {
    throw UNHANDLED;
  }
  return oneof.value;
}

function makeFieldWriter(field: DescField, fieldsOf: (desc: DescMessage) => FieldsWriter): FieldWriter {
  return {
    place: placeOf(field),
    isOptional: field.oneof === undefined && field.presence !== FeatureSet_FieldPresence.IMPLICIT,
    write: isRare(field) ? undefined : makeWriter(field, fieldsOf),
  };
}

/** Whether protobuf-es writes a field: one in group encoding, or a Struct, which is a JSON object in memory. */
function isRare(field: DescField): boolean {
  return (
    isJsonStruct(field) ||
    (field.message !== undefined && field.fieldKind !== "map" && field.delimitedEncoding)
  );
}

function makeWriter(field: DescField, fieldsOf: (desc: DescMessage) => FieldsWriter): BinaryValueWriter {
  const { wireType, write } = makeItemWriter(field, fieldsOf);
  switch (field.fieldKind) {
    case "list":
      return field.packed
        ? packedWriter(field.number, write)
        : listWriter(tagged(field.number, wireType, write));
    case "map":
      return mapWriter(field.number, field.mapKey, tagged(2, wireType, write));
    default:
      return field.presence === FeatureSet_FieldPresence.IMPLICIT
        ? unlessDefault(field.number, wireType, write)
        : tagged(field.number, wireType, write);
  }
}

/** The writer of a single value, a list element or a map value, without its tag. */
function makeItemWriter(
  field: DescField,
  fieldsOf: (desc: DescMessage) => FieldsWriter,
): { readonly wireType: WireType; readonly write: BinaryValueWriter } {
  const { message } = field;
  if (message === undefined) {
    const type = field.scalar ?? ScalarType.INT32;
    return { wireType: wireTypeOf(type), write: binaryScalarWriter(type) };
  }
  if (isWrapperDesc(message) && field.fieldKind === "message" && field.oneof === undefined) {
    // Held as the wrapped value.
    const { number, scalar } = message.fields[0];
    const write = unlessDefault(number, wireTypeOf(scalar), binaryScalarWriter(scalar));
    return { wireType: WireType.LengthDelimited, write: withLength(write) };
  }
  const write = fieldsOf(message);
  return {
    wireType: WireType.LengthDelimited,
    write: withLength((out, value, isCreated) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw UNHANDLED;
      }
      write(out, value as MessageInit, isCreated);
    }),
  };
}
