import { type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { type Any, anyUnpack, type ListValue, type Struct, type Value } from "@bufbuild/protobuf/wkt";
import { PublisherSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import type { Choose } from "./choices.js";
import {
  hasTextForm,
  heldBy,
  writeEnum,
  writeNumber,
  writeScalarText,
  writeTextForm,
} from "./text-encoder.js";

/**
 * Part of an encoder that is independent of the engine. It follows RFC 3986, RFC 8259, ProtoJSON and the comments in
 * google/api/http.proto; `choose` decides where they allow several encodings.
 */

/** The JSON text of a message, without some of its top-level fields. */
export function writeJson(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  without: readonly string[] = [],
): string {
  return pad(writeMessage(desc, message, choose, without), choose);
}

/** The JSON text of a field. */
export function writeFieldJson(field: DescField, message: Message, choose: Choose): string {
  return pad(writeField(field, heldBy(message, field), choose), choose);
}

function pad(text: string, choose: Choose): string {
  const space = () => ["", "", "", " ", "\n", "\t\r\n"][choose(6)] ?? "";
  return `${space()}${text}${space()}`;
}

function writeMessage(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  without: readonly string[] = [],
): string {
  if (hasTextForm(desc)) {
    return writeWrapped(desc, message, choose);
  }
  switch (desc.typeName) {
    case "google.protobuf.Struct":
      return writeStruct(message as Struct, choose);
    case "google.protobuf.ListValue":
      return writeListValue(message as ListValue, choose);
    case "google.protobuf.Value":
      return writeValue(message as Value, choose);
    case "google.protobuf.Any":
      return writeAny(message as Any, choose);
    default:
      return writeObject(memberTexts(desc, message, choose, without), choose);
  }
}

function memberTexts(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  without: readonly string[] = [],
): [string, string][] {
  const members: [string, string][] = [];
  for (const field of desc.fields) {
    const name = choose(2) === 0 ? field.name : field.jsonName;
    if (without.includes(field.name)) {
      continue;
    }
    if (isFieldSet(message, field)) {
      members.push([name, writeField(field, heldBy(message, field), choose)]);
    } else if (choose(20) === 0 && field.message?.typeName !== "google.protobuf.Value") {
      members.push([name, "null"]);
    }
  }
  return members;
}

function writeObject(members: [string, string][], choose: Choose): string {
  const shuffled = members.toSorted(() => choose(3) - 1);
  return `{${shuffled.map(([name, text]) => `${pad(writeString(name, choose), choose)}:${pad(text, choose)}`).join(",")}}`;
}

function writeArray(items: readonly string[], choose: Choose): string {
  return `[${items.map((item) => pad(item, choose)).join(",")}]`;
}

function writeField(field: DescField, value: unknown, choose: Choose): string {
  switch (field.fieldKind) {
    case "list":
      return writeArray(
        (value as unknown[]).map((item) => writeItem(field, item, choose)),
        choose,
      );
    case "map":
      return writeObject(
        (value as [unknown, unknown][]).map(([key, item]) => [String(key), writeItem(field, item, choose)]),
        choose,
      );
    default:
      return writeItem(field, value, choose);
  }
}

function writeItem(field: DescField, value: unknown, choose: Choose): string {
  if (field.message !== undefined) {
    return writeMessage(field.message, value as Message, choose);
  }
  if (field.enum !== undefined) {
    const written = writeEnum(field, value, choose);
    return typeof written === "number" ? String(written) : writeString(written, choose);
  }
  return writeScalar(value, choose, writeScalarText(field.scalar, value, choose));
}

/** A scalar with this text: numbers with or without quotes, booleans without. */
function writeScalar(value: unknown, choose: Choose, text: string): string {
  const isNumber = (typeof value === "number" && Number.isFinite(value)) || typeof value === "bigint";
  return typeof value === "boolean" || (isNumber && choose(3) > 0) ? text : writeString(text, choose);
}

function writeWrapped(desc: DescMessage, message: Message, choose: Choose): string {
  const text = writeTextForm(desc, message, choose);
  return writeScalar("value" in message ? message.value : undefined, choose, text);
}

function writeStruct({ fields }: Struct, choose: Choose): string {
  return writeObject(
    Object.entries(fields).map(([name, value]) => [name, writeValue(value, choose)]),
    choose,
  );
}

function writeListValue({ values }: ListValue, choose: Choose): string {
  return writeArray(
    values.map((value) => writeValue(value, choose)),
    choose,
  );
}

function writeValue({ kind }: Value, choose: Choose): string {
  switch (kind.case) {
    case "stringValue":
      return writeString(kind.value, choose);
    case "numberValue":
      return writeNumber(kind.value);
    case "boolValue":
      return String(kind.value);
    case "structValue":
      return writeStruct(kind.value, choose);
    case "listValue":
      return writeListValue(kind.value, choose);
    default:
      return "null";
  }
}

function writeAny(any: Any, choose: Choose): string {
  const publisher = anyUnpack(any, PublisherSchema);
  const members = publisher === undefined ? [] : memberTexts(PublisherSchema, publisher, choose);
  return writeObject([["@type", writeString(any.typeUrl, choose)], ...members], choose);
}

/** RFC 8259, section 7: any character can be escaped, some must be. */
function writeString(text: string, choose: Choose): string {
  let written = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const mustEscape = unit < 0x20 || unit === 0x22 || unit === 0x5c;
    // Surrogates can only be escaped in pairs, so pairs are not escaped.
    const canEscape = unit < 0xd800 || unit > 0xdfff;
    written +=
      mustEscape || (canEscape && choose(10) === 0)
        ? `\\u${unit.toString(16).padStart(4, "0")}`
        : text.charAt(index);
  }
  return `"${written}"`;
}
