import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { http_field } from "@utility-tools/protos/connecttranscoding/v1/options_pb.js";
import type { Random } from "../random.js";
import { anyValue } from "../texts.js";
import { fieldText } from "./field-text.js";
import { randomOctets } from "./octets.js";

const INTEGERS = [0, 1, -1, 2, 6, 8, 99, 2147483647, -2147483648, 4294967295] as const;
const WIRE_TYPES = [WireType.Varint, WireType.Bit64, WireType.LengthDelimited, WireType.Bit32] as const;

/** A message in the binary format: mostly of its type, now and then with other fields or other wire types. */
export function binaryMessage(random: Random, desc: DescMessage, depth = 3): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of desc.fields) {
    for (let times = timesOf(random, field); times > 0; times--) {
      writeField(random, writer, field, depth);
    }
  }
  if (random.oneIn(15)) {
    const number = random.pick([1, 2, 15, 16, 2047, 19_000, 536_870_911] as const);
    writeAny(random, writer.tag(number, random.pick(WIRE_TYPES)));
  }
  return writer.finish();
}

function timesOf(random: Random, field: DescField): number {
  const isMany = field.fieldKind === "list" || field.fieldKind === "map";
  if (field.oneof !== undefined && !random.oneIn(field.oneof.fields.length)) {
    return 0;
  }
  return random.oneIn(8) ? 0 : random.oneIn(isMany ? 2 : 25) ? 2 : 1;
}

function writeField(random: Random, writer: BinaryWriter, field: DescField, depth: number): void {
  if (random.oneIn(30)) {
    writeAny(random, writer.tag(field.number, random.pick(WIRE_TYPES)));
    return;
  }
  if (field.fieldKind === "message" || (field.fieldKind === "list" && field.listKind === "message")) {
    const inner = depth > 0 ? binaryMessage(random, field.message, depth - 1) : new Uint8Array();
    writer.tag(field.number, WireType.LengthDelimited).bytes(inner);
    return;
  }
  if (field.fieldKind === "map") {
    writer.tag(field.number, WireType.LengthDelimited).bytes(randomOctets(random, random.below(6)));
    return;
  }
  const scalar = field.scalar ?? ScalarType.INT32;
  switch (scalar) {
    case ScalarType.STRING:
      writer.tag(field.number, WireType.LengthDelimited).bytes(Buffer.from(textOf(random, field)));
      return;
    case ScalarType.BYTES:
      writer.tag(field.number, WireType.LengthDelimited).bytes(randomOctets(random, random.below(20)));
      return;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      writer.tag(field.number, WireType.Bit64).double(random.below(1000) / 7);
      return;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      writer.tag(field.number, WireType.Bit32).float(random.below(1000) / 7);
      return;
    default:
      writer.tag(field.number, WireType.Varint).int64(BigInt(random.pick(INTEGERS)));
  }
}

function writeAny(random: Random, writer: BinaryWriter): void {
  writer.raw(randomOctets(random, random.below(12)));
}

/** A message as JSON: mostly of its type, now and then with values of another one or members that are unknown. */
export function jsonMessage(random: Random, desc: DescMessage, depth = 3): string {
  const members = desc.fields.flatMap((field) =>
    Array.from({ length: timesOf(random, field) }, (_, index) => {
      const name = random.oneIn(2) ? field.jsonName : field.name;
      return index > 0 && !random.oneIn(4)
        ? []
        : [`${JSON.stringify(name)}:${jsonField(random, field, depth)}`];
    }).flat(),
  );
  if (random.oneIn(15)) {
    members.push(
      `${JSON.stringify(random.pick(["nope", "", "__proto__", "@type", "é"]))}:${jsonValue(random)}`,
    );
  }
  return `{${members.join(random.oneIn(10) ? " ,\n" : ",")}}`;
}

function jsonField(random: Random, field: DescField, depth: number): string {
  if (random.oneIn(12)) {
    return jsonValue(random);
  }
  const one = () => {
    if (field.message !== undefined) {
      return depth > 0 ? jsonMessage(random, field.message, depth - 1) : "{}";
    }
    if (field.enum !== undefined) {
      const { values } = field.enum;
      const value = values[random.below(values.length)];
      return random.oneIn(4) ? String(random.below(5)) : JSON.stringify(value?.name ?? "");
    }
    const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
    return isText ? JSON.stringify(textOf(random, field)) : jsonNumber(random);
  };
  return field.fieldKind === "list" ? `[${one()},${one()}]` : one();
}

function jsonNumber(random: Random): string {
  const number = String(random.pick(INTEGERS));
  return random.oneIn(4) ? JSON.stringify(number) : number;
}

function textOf(random: Random, field: DescField): string {
  const examples = hasOption(field, http_field) ? [getOption(field, http_field).example].flat() : [];
  return fieldText(random, field.name, examples);
}

const JSON_VALUES = [
  "null",
  "true",
  "[]",
  "{}",
  "[[[]]]",
  "1e999",
  "-0",
  "1.5",
  '{"a":{"b":[1]}}',
  '"\\ud800"',
] as const;

/** Any JSON value. */
export function jsonValue(random: Random): string {
  return random.oneIn(2) ? random.pick(JSON_VALUES) : JSON.stringify(anyValue(random));
}
