import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromBinary,
  type UnknownField,
} from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { EmptySchema } from "@bufbuild/protobuf/wkt";

// Reads the options of protovalidate (https://protovalidate.com). The package with its generated code is not needed: options that
// nothing has registered are unknown fields. The numbers are those of buf/validate/validate.proto.

/** A type of numbers in proto files. */
export type NumberKind =
  | "float"
  | "double"
  | "int32"
  | "uint32"
  | "sint32"
  | "fixed32"
  | "sfixed32"
  | LongKind;
type LongKind = "int64" | "uint64" | "sint64" | "fixed64" | "sfixed64";

/** The members of a message by number, undecoded. */
export type Members = ReadonlyMap<number, readonly UnknownField[]>;

export const NO_MEMBERS: Members = new Map();

function membersOf(bytes: Uint8Array): Members {
  const members = new Map<number, UnknownField[]>();
  for (const field of fromBinary(EmptySchema, bytes).$unknown ?? []) {
    members.set(field.no, [...(members.get(field.no) ?? []), field]);
  }
  return members;
}

/** The content of a message, whose parts are merged; undefined without it. */
function bytesIn(fields: readonly UnknownField[], number: number): Uint8Array | undefined {
  const parts = fields.filter(({ no, wireType }) => no === number && wireType === WireType.LengthDelimited);
  return parts.length === 0
    ? undefined
    : Uint8Array.from(parts.flatMap(({ data }) => [...new BinaryReader(data).bytes()]));
}

/** The content of a message; undefined without it. */
export function messageIn(members: Members, number: number): Members | undefined {
  const bytes = bytesIn(members.get(number) ?? [], number);
  return bytes && membersOf(bytes);
}

/** The messages of a repeated field. */
export function messagesIn(members: Members, number: number): Members[] {
  return (members.get(number) ?? []).map(({ data }) => membersOf(new BinaryReader(data).bytes()));
}

/** The texts of a repeated field. */
export function textsIn(members: Members, number: number): string[] {
  return (members.get(number) ?? []).map(({ data }) => new BinaryReader(data).string());
}

/** The numbers of a repeated field. */
export function numbersIn(members: Members, number: number, kind: NumberKind): (number | bigint)[] {
  return (members.get(number) ?? []).flatMap(({ data, wireType }) => {
    const reader = new BinaryReader(data);
    const end = wireType === WireType.LengthDelimited ? reader.uint32() + reader.pos : reader.len;
    const values: (number | bigint)[] = [];
    while (reader.pos < end) {
      const value = reader[kind]();
      values.push(typeof value === "string" ? BigInt(value) : value);
    }
    return values;
  });
}

/** A number; the last one, as for every field that is not repeated. */
export function numberIn(members: Members, number: number, kind: NumberKind): number | undefined {
  const value = numbersIn(members, number, kind).at(-1);
  return value === undefined ? undefined : Number(value);
}

/** A length or a count, which is a `uint64`. */
export function countIn(members: Members, number: number): number | undefined {
  return numberIn(members, number, "uint64");
}

/** The number of buf.validate.field, buf.validate.message and buf.validate.oneof. */
const EXTENSION = 1159;

/** The option of protovalidate on a declaration; undefined without one. Throws an Error for one that is not in the format of its message. */
export function validateOption({ proto }: DescField | DescMessage | DescOneof): Members | undefined {
  const bytes = bytesIn(proto.options?.$unknown ?? [], EXTENSION);
  return bytes && membersOf(bytes);
}
