import { create, type DescField, type DescMessage, ScalarType, toBinary } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence, isWrapperDesc, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type BinaryValueWriter,
  listWriter,
  mapWriter,
  packedWriter,
  tagged,
  unlessDefault,
  withLength,
} from "./binary-fields.js";
import { type BinaryOutput, createBinaryOutput, writeRaw } from "./binary-output.js";
import { binaryScalarWriter, UNHANDLED, wireTypeOf } from "./binary-scalars.js";
import { type FieldPlace, type MessageInit, placeOf } from "./message-field.js";

/**
 * Writes a message, or what `create` would make one of, in protobuf's binary format. `prefixBytes` octets before it are 0,
 * for the caller to fill in. The octets are the caller's own; but short ones lie in the block that `Buffer.allocUnsafe`
 * takes small pieces from, because a block for each takes longer than to write it. Copy what is to be kept for long, or
 * it keeps that block of 8 KiB.
 */
export type BinaryMessageWriter = (message: MessageInit, prefixBytes?: number) => Uint8Array;

/** Makes writers, each once; messages can contain themselves, so that they are made as they are asked for. */
export interface BinaryWriters {
  ofMessage(desc: DescMessage): BinaryMessageWriter;
}

/** Writes the fields of a message. */
type FieldsWriter = (out: BinaryOutput, message: MessageInit, isMade: boolean) => void;

/** What is worked out of a field beforehand. */
interface FieldWriter {
  readonly place: FieldPlace;
  /** Whether a message that came from `create` can be without the field. */
  readonly isOptional: boolean;
  /** Writes the field with its tag; undefined for what is left to protobuf-es. */
  readonly write: BinaryValueWriter | undefined;
}

/** How much is made to write into at first, and how much is kept at most for the next message. */
const FIRST_BYTES = 4 * 1024;
const KEPT_BYTES = 64 * 1024;

/**
 * Writes protobuf's binary format: byte for byte what `toBinary(desc, create(desc, message))` gives, for a fraction of the
 * time, for no message is made on the way, and no piece of it is allocated. What is rare is left to protobuf-es: messages
 * with unknown fields (extensions are among them), with a Struct in a field, with fields in the group encoding or that are
 * required; and all values that are wrong, so that they fail as they do there.
 *
 * What messages are written into is kept for the next one, up to 64 KiB. A call takes it while it runs, so that one that
 * throws, or has another one within it, leaves the next with nothing of its own.
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
        const written = Buffer.allocUnsafe(prefixBytes + out.position);
        for (let index = 0; index < prefixBytes; index++) {
          written[index] = 0;
        }
        written.set(out.octets.subarray(0, out.position), prefixBytes);
        if (out.octets.length <= KEPT_BYTES) {
          spare = out;
        }
        return written;
      };
    },
  };
}

/** What protobuf-es writes, or throws. */
function byLibrary(desc: DescMessage, message: MessageInit): Uint8Array {
  return toBinary(desc, create(desc, message));
}

function makeFieldsWriter(desc: DescMessage, fieldsOf: (desc: DescMessage) => FieldsWriter): FieldsWriter {
  const { typeName } = desc;
  const hasRequired = desc.fields.some(
    ({ presence }) => presence === FeatureSet_FieldPresence.LEGACY_REQUIRED,
  );
  let fields: readonly FieldWriter[] | undefined;
  return (out, message, isInMade) => {
    // Made with the first message, for the type of a field can be this very type.
    fields ??= desc.fields
      .toSorted((a, b) => a.number - b.number)
      .map((field) => makeFieldWriter(field, fieldsOf));
    const isMade = message.$typeName === typeName;
    if (isInMade && !isMade) {
      throw UNHANDLED;
    }
    if (hasRequired || (isMade && message.$unknown !== undefined)) {
      writeRaw(out, byLibrary(desc, message));
      return;
    }
    const start = out.position;
    for (const field of fields) {
      const value = heldValue(field, message, isMade);
      if (value === undefined) {
        continue;
      }
      if (field.write === undefined) {
        out.position = start;
        writeRaw(out, byLibrary(desc, message));
        return;
      }
      field.write(out, value, isMade);
    }
  };
}

/**
 * The value of a field; undefined where it is absent, as it also is for null in what is yet to become a message. Throws
 * `UNHANDLED` for undefined or null where protobuf-es does not take them for that.
 */
function heldValue({ place, isOptional }: FieldWriter, message: MessageInit, isMade: boolean): unknown {
  const { property, chosen, isInherited } = place;
  const held = isInherited && !Object.hasOwn(message, property) ? undefined : message[property];
  if (held === undefined || held === null) {
    if (isMade && (held === null || !isOptional)) {
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

/** Whether a field is left to protobuf-es: in the group encoding, or a Struct, held as the JSON object that it stands for. */
function isRare(field: DescField): boolean {
  return (
    (field.message?.typeName === StructSchema.typeName && field.parent.typeName !== ValueSchema.typeName) ||
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

/** How a single value, a list's element or a map's value is written, without its tag. */
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
    // Held as the value that it wraps.
    const { number, scalar } = message.fields[0];
    const write = unlessDefault(number, wireTypeOf(scalar), binaryScalarWriter(scalar));
    return { wireType: WireType.LengthDelimited, write: withLength(write) };
  }
  const write = fieldsOf(message);
  return {
    wireType: WireType.LengthDelimited,
    write: withLength((out, value, isMade) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw UNHANDLED;
      }
      write(out, value as MessageInit, isMade);
    }),
  };
}
