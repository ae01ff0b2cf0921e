import { type DescField, type DescMessage, isFieldSet, type Message, ScalarType } from "@bufbuild/protobuf";
import { isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { Any, FieldMask, ListValue, Struct, Value } from "@bufbuild/protobuf/wkt";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { PublisherSchema } from "../gen/library/v1/library_pb.js";

/**
 * Writes messages as paths, queries and JSON, knowing nothing of the engine: from RFC 3986, RFC 8259, ProtoJSON and the
 * comment of google/api/http.proto alone. Where those leave a choice, `choose` makes it.
 */

/** A number from 0 up to, and without, `count`. */
export type Choose = (count: number) => number;

/** Choices that a seed fixes (a linear congruential generator, with the numbers of Numerical Recipes). */
export function seededChoices(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/** Percent-encodes all but unreserved characters, some of those too, and leaves `kept` as they are. */
function percentEncode(text: string, kept: string, choose: Choose): string {
  let escaped = "";
  for (const octet of Buffer.from(text, "utf8")) {
    const character = String.fromCharCode(octet);
    const plain = UNRESERVED.test(character) ? choose(12) > 0 : octet < 128 && kept.includes(character);
    const hex = octet.toString(16).padStart(2, "0");
    escaped += plain ? character : `%${choose(2) === 0 ? hex : hex.toUpperCase()}`;
  }
  return escaped;
}

/** One segment of a path. */
export function writeSegment(text: string, choose: Choose): string {
  return percentEncode(text, choose(2) === 0 ? "" : "!$&'()*+,;=@", choose);
}

/** The query that says a message, or its fields but for some at the top. */
export function writeQuery(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  without: readonly string[] = [],
): string {
  const fields = queryFields(desc, message, choose, [], without);
  for (let index = fields.length - 1; index > 0; index--) {
    const other = choose(index + 1);
    const [a, b] = [fields[index], fields[other]];
    if (a !== undefined && b !== undefined) {
      fields[index] = b;
      fields[other] = a;
    }
  }
  const write = (text: string) =>
    choose(2) === 0
      ? percentEncode(text, "", choose)
      : percentEncode(text, ":/?@!$'()*,; ", choose).replaceAll(" ", "+");
  return fields
    .flatMap((values) =>
      values.map(({ path, value }) => `${write(spell(path, choose).join("."))}=${write(value)}`),
    )
    .join("&");
}

interface QueryValue {
  readonly path: readonly DescField[];
  readonly value: string;
}

/** The values of each field; those of one field must keep their order. */
function queryFields(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  path: readonly DescField[],
  without: readonly string[] = [],
): QueryValue[][] {
  return desc.fields
    .filter((field) => isFieldSet(message, field) && !without.includes(field.name))
    .flatMap((field) => {
      const own = [...path, field];
      const value = heldBy(message, field);
      if (field.fieldKind === "list") {
        return [(value as unknown[]).map((item) => ({ path: own, value: writeText(field, item, choose) }))];
      }
      if (field.fieldKind === "message" && !hasTextForm(field.message)) {
        return queryFields(field.message, value as Message, choose, own);
      }
      return [[{ path: own, value: writeText(field, value, choose) }]];
    });
}

/** Whether ProtoJSON writes a type as something that is no object or array. */
export function hasTextForm({ typeName }: DescMessage): boolean {
  return (
    /^google\.protobuf\.(Timestamp|Duration|FieldMask|[A-Za-z0-9]+Value)$/.test(typeName) &&
    !/\.(List)?Value$/.test(typeName)
  );
}

function spell(path: readonly DescField[], choose: Choose): string[] {
  return path.map(({ name, jsonName }) => (choose(2) === 0 ? name : jsonName));
}

/** A field of a message: a value, an array of them, or an array of keys and values; messages as such, never unwrapped. */
function heldBy(message: Message, field: DescField): unknown {
  const held = reflect(field.parent, message, false);
  const plain = (value: unknown) => (isReflectMessage(value) ? value.message : value);
  switch (field.fieldKind) {
    case "list":
      return [...held.get(field)].map(plain);
    case "map":
      return [...held.get(field)].map(([key, value]) => [key, plain(value)]);
    default:
      return plain(held.get(field));
  }
}

/** A value as the text of a path or a query. */
function writeText(field: DescField, value: unknown, choose: Choose): string {
  if (field.enum !== undefined) {
    return writeEnum(field, value, choose).toString();
  }
  if (field.message !== undefined) {
    return writeTextForm(field.message, value as Message, choose);
  }
  return writeScalarText(field.scalar, value, choose);
}

function writeScalarText(type: ScalarType | undefined, value: unknown, choose: Choose): string {
  if (value instanceof Uint8Array) {
    return writeBase64(value, choose);
  }
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BOOL:
      return String(value);
    case ScalarType.DOUBLE:
      return writeNumber(value as number);
    case ScalarType.FLOAT:
      return choose(2) === 0 ? writeNumber(value as number) : shortestFloat(value as number);
    default:
      return choose(4) === 0 ? withExponent(String(value), choose) : String(value);
  }
}

function writeNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The fewest digits that round to a float, as other languages print it: 0.1, where a double is 0.10000000149011612. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits < 10 && Number.isFinite(value) && value !== 0; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) {
      return text;
    }
  }
  return writeNumber(value);
}

/** An integer as ProtoJSON takes it too: with an exponent, or a fraction of zero. */
function withExponent(digits: string, choose: Choose): string {
  const [, significant = "", zeros = ""] = /^(-?\d+?)(0*)$/.exec(digits) ?? [];
  const point = significant.length - 1;
  const sign = ["", "+"][choose(2)];
  switch (choose(3)) {
    case 0:
      return `${digits}.0${choose(2) === 0 ? "" : "e0"}`;
    case 1:
      return `${significant}${choose(2) === 0 ? "e" : "E"}${sign}${zeros.length}`;
    default:
      return significant.length < 3
        ? digits
        : `${significant.slice(0, point)}.${significant.slice(point)}e${sign}${zeros.length + 1}`;
  }
}

/** The name that stands for a value over HTTP, for the enums that have such names. */
const HTTP_NAMES: Record<string, string> = { GENRE_NOVEL: "novel", GENRE_ESSAY: "essay" };

function writeEnum(field: DescField, value: unknown, choose: Choose): string | number {
  const name = field.enum?.values.find(({ number }) => number === value)?.name;
  return name === undefined
    ? (value as number)
    : ([name, value as number, HTTP_NAMES[name]][choose(3)] ?? name);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** RFC 4648, sections 4 and 5, with padding or without. */
function writeBase64(octets: Uint8Array, choose: Choose): string {
  const alphabet = BASE64 + (choose(2) === 0 ? "+/" : "-_");
  let bits = "";
  for (const octet of octets) {
    bits += octet.toString(2).padStart(8, "0");
  }
  let text = "";
  for (let index = 0; index < bits.length; index += 6) {
    text += alphabet.charAt(Number.parseInt(bits.slice(index, index + 6).padEnd(6, "0"), 2));
  }
  return choose(2) === 0 ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

/** A well-known type that ProtoJSON writes as a string, number or boolean, as text. */
function writeTextForm(desc: DescMessage, message: Message, choose: Choose): string {
  const held = message as unknown as { seconds: bigint; nanos: number; value: unknown };
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return writeTimestamp(held.seconds, held.nanos, choose);
    case "google.protobuf.Duration":
      return writeDuration(held.seconds, held.nanos, choose);
    case "google.protobuf.FieldMask":
      return writeFieldMask(message as FieldMask);
    default:
      return writeScalarText(desc.fields[0]?.scalar, held.value, choose);
  }
}

/** Nanoseconds as a fraction: nothing, or a point and up to nine digits. */
function writeFraction(nanos: number, choose: Choose): string {
  const digits = String(nanos).padStart(9, "0");
  const shortest = digits.replace(/0+$/, "");
  const length = shortest.length + choose(10 - shortest.length);
  return length === 0 ? "" : `.${digits.slice(0, length)}`;
}

function writeDuration(seconds: bigint, nanos: number, choose: Choose): string {
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `${sign}${seconds < 0n ? -seconds : seconds}${writeFraction(Math.abs(nanos), choose)}s`;
}

/** RFC 3339, in some time zone. */
function writeTimestamp(seconds: bigint, nanos: number, choose: Choose): string {
  const inside = seconds > -62_135_500_000n && seconds < 253_402_200_000n;
  const minutes = inside ? choose(2 * 14 * 60) - 14 * 60 : 0;
  const local = Number(seconds) + minutes * 60;
  const day = Math.floor(local / 86_400);
  const second = local - day * 86_400;
  const two = (number: number) => String(number).padStart(2, "0");
  const time = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(two).join(":");
  const zone =
    minutes === 0 && choose(2) === 0
      ? "Z"
      : `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${writeDate(day)}T${time}${writeFraction(nanos, choose)}${zone}`;
}

/** The Gregorian date of a day counted from 1970-01-01, by counting the days of each year and month. */
function writeDate(day: number): string {
  let rest = day + 719_162;
  const cycles = Math.floor(rest / 146_097);
  rest -= cycles * 146_097;
  let year = cycles * 400 + 1;
  const leap = () => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  while (rest >= (leap() ? 366 : 365)) {
    rest -= leap() ? 366 : 365;
    year += 1;
  }
  const months = [31, leap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  let month = 0;
  while (rest >= (months[month] ?? 0)) {
    rest -= months[month] ?? 0;
    month += 1;
  }
  return [
    String(year).padStart(4, "0"),
    String(month + 1).padStart(2, "0"),
    String(rest + 1).padStart(2, "0"),
  ].join("-");
}

function writeFieldMask({ paths }: FieldMask): string {
  return paths
    .map((path) => path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .join(",");
}

/** A message as a JSON text, or its fields but for some at the top. */
export function writeJson(
  desc: DescMessage,
  message: Message,
  choose: Choose,
  without: readonly string[] = [],
): string {
  return pad(writeMessage(desc, message, choose, without), choose);
}

/** The value of a field as a JSON text. */
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
    } else if (
      choose(20) === 0 &&
      field.message?.typeName !== "google.protobuf.Value" &&
      field.enum?.typeName !== "google.protobuf.NullValue"
    ) {
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

/** A scalar whose text is known: numbers and booleans may be bare or quoted, as far as doubles are exact. */
function writeScalar(value: unknown, choose: Choose, text: string): string {
  const bare =
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value)) ||
    (typeof value === "bigint" && value > -(2n ** 53n) && value < 2n ** 53n);
  return bare && choose(3) > 0 ? text : writeString(text, choose);
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
    // Half of a pair may only be escaped together with the other half, so pairs stay as they are.
    const canEscape = unit < 0xd800 || unit > 0xdfff;
    written +=
      mustEscape || (canEscape && choose(10) === 0)
        ? `\\u${unit.toString(16).padStart(4, "0")}`
        : text.charAt(index);
  }
  return `"${written}"`;
}
