import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { WireType } from "@bufbuild/protobuf/wire";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldWriter, isJsonStruct, MAX_DEPTH, placeOf, readField } from "../message-field.js";
import { type BinaryInput, copyBytes, readEnd, readTag, readVarint } from "./input.js";
import { type BinaryValueReader, binaryScalarReader } from "./scalars.js";
import { UNHANDLED, wireTypeOf } from "./values.js";

/**
 * Reads a message in the binary format, from `start` to `end`: a view of a part of the bytes costs more than the rest of a
 * short message. The message has no views of the bytes. Throws the errors of `fromBinary`.
 */
export type BinaryMessageReader = (bytes: Uint8Array, start?: number, end?: number) => Message;

/** Readers, created once per message type and on demand, because messages can contain themselves. */
export interface BinaryReaders {
  ofMessage(desc: DescMessage): BinaryMessageReader;
}

/** Reads the fields of a message up to the offset `end`: into `target`, or into a new message. */
type FieldsReader = (input: BinaryInput, end: number, target?: Message) => Message;

/** Reads the value of a field, without its tag, into a message. */
type FieldReader = (input: BinaryInput, message: Message) => void;

/**
 * Creates readers of the binary format. A message equals the one from `fromBinary`, except that it has copies of the bytes
 * instead of views. Protobuf-es reads rare and malformed input, so that results and errors are the same: a wire type that
 * does not match its field, groups, too many nested messages, a closed enum with an unknown value, text with
 * U+FFFD, a length that does not match the values within, and a wrapper or Struct that is given twice.
 *
 * https://protobuf.dev/programming-guides/encoding/
 *
 * @param readUnknownFields whether messages have them: each takes as long as ten known ones
 */
export function createBinaryReaders(readUnknownFields = true): BinaryReaders {
  const fieldsReaders = new Map<DescMessage, FieldsReader>();

  const fieldsOf = (desc: DescMessage): FieldsReader => {
    const reader = fieldsReaders.get(desc) ?? makeFieldsReader(desc, fieldsOf, readUnknownFields);
    fieldsReaders.set(desc, reader);
    return reader;
  };

  return {
    ofMessage: (desc) => {
      const read = fieldsOf(desc);
      return (bytes, start = 0, end = bytes.length) => {
        try {
          return read({ bytes, position: start, buffer: undefined, depth: 0 }, end);
        } catch (thrown) {
          if (thrown !== UNHANDLED) {
            throw thrown;
          }
          // protobuf-es keeps views of the bytes.
          return fromBinary(desc, new Uint8Array(bytes.subarray(start, end)), { readUnknownFields });
        }
      };
    },
  };
}

/** A message type, compiled. */
interface MessageReader {
  createEmpty(): Message;
  /** The readers of tags of one byte, by tag, and of the others. */
  readonly byShortTag: readonly (FieldReader | undefined)[];
  readonly byLongTag: ReadonlyMap<number, FieldReader>;
  /** The numbers of all fields. */
  readonly numbers: ReadonlySet<number>;
}

function makeFieldsReader(
  desc: DescMessage,
  fieldsOf: (desc: DescMessage) => FieldsReader,
  readUnknownFields: boolean,
): FieldsReader {
  let compiled: MessageReader | undefined;
  return (input, end, target) => {
    // Compiled with the first message, because a field can have this very type.
    compiled ??= compile(desc, fieldsOf);
    const { byShortTag, byLongTag, numbers } = compiled;
    const message = target ?? compiled.createEmpty();
    input.depth++;
    if (input.depth > MAX_DEPTH) {
      throw UNHANDLED;
    }
    while (input.position < end) {
      const tag = readTag(input);
      const read = tag <= MAX_SHORT_TAG ? byShortTag[tag] : byLongTag.get(tag);
      if (read !== undefined) {
        read(input, message);
      } else if (numbers.has(tag >>> 3)) {
        throw UNHANDLED;
      } else {
        readUnknown(input, readUnknownFields ? message : undefined, tag);
      }
    }
    checkEnd(input, end);
    input.depth--;
    return message;
  };
}

/** The largest tag in one byte. */
const MAX_SHORT_TAG = 0x7f;

function compile(desc: DescMessage, fieldsOf: (desc: DescMessage) => FieldsReader): MessageReader {
  const byShortTag = new Array<FieldReader | undefined>(MAX_SHORT_TAG + 1).fill(undefined);
  const byLongTag = new Map<number, FieldReader>();
  for (const field of desc.fields) {
    for (const [wireType, read] of makeFieldReaders(field, fieldsOf)) {
      const tag = tagOf(field.number, wireType);
      if (tag <= MAX_SHORT_TAG) {
        byShortTag[tag] = read;
      } else {
        byLongTag.set(tag, read);
      }
    }
  }
  const numbers = new Set(desc.fields.map(({ number }) => number));
  return { createEmpty: emptyMessages(desc), byShortTag, byLongTag, numbers };
}

function tagOf(number: number, wireType: WireType): number {
  return ((number << 3) | wireType) >>> 0;
}

/**
 * Returns a function that creates messages without fields. Messages of proto3 are plain objects, built here faster than by
 * `create`. They are not copied with the spread operator if they can get more properties, because V8 is slow to add one to
 * such a copy. The other messages have defaults on their prototype.
 */
function emptyMessages(desc: DescMessage): () => Message {
  const empty = create(desc);
  if (Object.getPrototypeOf(empty) !== Object.prototype) {
    return () => create(desc);
  }
  const { $typeName, ...rest } = empty;
  const members = Object.entries<unknown>(rest);
  if (desc.members.length === members.length && members.every(([, value]) => isShareable(value))) {
    // No property is added later.
    return () => ({ ...empty });
  }
  return () => {
    const message: Message & Record<string, unknown> = { $typeName };
    for (const [property, value] of members) {
      message[property] = isShareable(value) ? value : copyEmpty(value as object);
    }
    return message;
  };
}

/** Whether messages can share an empty value. No bytes can be written to an empty array of bytes, and creating one takes longer than the rest. */
function isShareable(value: unknown): boolean {
  return typeof value !== "object" || value === null || value instanceof Uint8Array;
}

/** Copies the empty value of a list, a map or a oneof. */
function copyEmpty(value: object): object {
  return Array.isArray(value) ? [] : { ...value };
}

/** Throws `UNHANDLED` if the values that were read go beyond their length. */
function checkEnd(input: BinaryInput, end: number): void {
  if (input.position !== end) {
    throw UNHANDLED;
  }
}

/** Keeps an unknown field in a message, if there is one, as a copy of its bytes after the tag. */
function readUnknown(input: BinaryInput, message: Message | undefined, tag: number): void {
  const no = tag >>> 3;
  const wireType = tag & 7;
  const start = input.position;
  if (no === 0) {
    throw UNHANDLED;
  }
  switch (wireType) {
    case WireType.Varint:
      readVarint(input);
      break;
    case WireType.Bit64:
      input.position += 8;
      break;
    case WireType.Bit32:
      input.position += 4;
      break;
    case WireType.LengthDelimited:
      input.position = readEnd(input);
      break;
    default:
      throw UNHANDLED;
  }
  if (message === undefined) {
    return;
  }
  message.$unknown ??= [];
  message.$unknown.push({ no, wireType, data: copyBytes(input.bytes, start, input.position) });
}

/** The readers of a field, by wire type: of a list of numbers there are two. None for a field that protobuf-es reads. */
function makeFieldReaders(
  field: DescField,
  fieldsOf: (desc: DescMessage) => FieldsReader,
): readonly (readonly [WireType, FieldReader])[] {
  switch (field.fieldKind) {
    case "scalar":
    case "enum": {
      const { wireType, read } = makeItemReader(field, fieldsOf);
      const set = fieldWriter(field);
      return [[wireType, (input, message) => set(message, read(input))]];
    }
    case "message":
      return field.delimitedEncoding
        ? []
        : [[WireType.LengthDelimited, messageFieldReader(field, fieldsOf(field.message))]];
    case "list":
      return listReaders(field, fieldsOf);
    case "map":
      return [[WireType.LengthDelimited, mapReader(field, fieldsOf)]];
  }
}

/** The reader of a single value, a list element or a map value, without its tag. */
function makeItemReader(
  field: DescField,
  fieldsOf: (desc: DescMessage) => FieldsReader,
): { readonly wireType: WireType; readonly read: BinaryValueReader } {
  if (field.message !== undefined) {
    const read = fieldsOf(field.message);
    return { wireType: WireType.LengthDelimited, read: (input) => read(input, readEnd(input)) };
  }
  const type = field.scalar ?? ScalarType.INT32;
  const read = binaryScalarReader(type);
  // protobuf-es accepts any value in lists and maps.
  const isClosed = field.fieldKind === "enum" && !field.enum.open;
  return { wireType: wireTypeOf(type), read: isClosed ? knownNumberReader(field.enum.values, read) : read };
}

function knownNumberReader(
  values: readonly { readonly number: number }[],
  read: BinaryValueReader,
): BinaryValueReader {
  const known = new Set<unknown>(values.map(({ number }) => number));
  return (input) => {
    const value = read(input);
    if (!known.has(value)) {
      throw UNHANDLED;
    }
    return value;
  };
}

/** A message that is given more than once is merged. https://protobuf.dev/programming-guides/encoding/#last-one-wins */
function messageFieldReader(field: DescField & { fieldKind: "message" }, read: FieldsReader): FieldReader {
  const place = placeOf(field);
  const set = fieldWriter(field);
  // Held in another form than a message, which has no place for more of its fields.
  const isConverted = isJsonStruct(field) || (isWrapperDesc(field.message) && field.oneof === undefined);
  return (input, message) => {
    const held = readField(place, message);
    if (held === undefined) {
      set(message, read(input, readEnd(input)));
    } else if (isConverted) {
      throw UNHANDLED;
    } else {
      read(input, readEnd(input), held as Message);
    }
  };
}

function listReaders(
  field: DescField & { fieldKind: "list" },
  fieldsOf: (desc: DescMessage) => FieldsReader,
): readonly (readonly [WireType, FieldReader])[] {
  if (field.listKind === "message" && field.delimitedEncoding) {
    return [];
  }
  const { wireType, read } = makeItemReader(field, fieldsOf);
  const add = fieldWriter(field);
  const readItem: FieldReader = (input, message) => add(message, read(input));
  if (wireType === WireType.LengthDelimited) {
    return [[wireType, readItem]];
  }
  // Both forms are valid, whatever the option `packed` says.
  const readPacked: FieldReader = (input, message) => {
    const end = readEnd(input);
    while (input.position < end) {
      readItem(input, message);
    }
    checkEnd(input, end);
  };
  return [
    [wireType, readItem],
    [WireType.LengthDelimited, readPacked],
  ];
}

/** An entry of a map is a message with the key as field 1 and the value as field 2; each may be absent. */
function mapReader(
  field: DescField & { fieldKind: "map" },
  fieldsOf: (desc: DescMessage) => FieldsReader,
): FieldReader {
  const readKey = binaryScalarReader(field.mapKey);
  const { wireType, read } = makeItemReader(field, fieldsOf);
  const keyTag = tagOf(1, wireTypeOf(field.mapKey));
  const valueTag = tagOf(2, wireType);
  const set = fieldWriter(field);
  return (input, message) => {
    const end = readEnd(input);
    let key: unknown;
    let value: unknown;
    while (input.position < end) {
      const tag = readTag(input);
      if (tag === keyTag) {
        key = readKey(input);
      } else if (tag === valueTag) {
        value = read(input);
      } else {
        throw UNHANDLED;
      }
    }
    checkEnd(input, end);
    set(message, value ?? emptyMapValue(field), key ?? scalarZeroValue(field.mapKey, false));
  };
}

function emptyMapValue(field: DescField & { fieldKind: "map" }): unknown {
  switch (field.mapKind) {
    case "message":
      return create(field.message);
    case "enum":
      return field.enum.values[0]?.number;
    default:
      return scalarZeroValue(field.scalar, false);
  }
}
