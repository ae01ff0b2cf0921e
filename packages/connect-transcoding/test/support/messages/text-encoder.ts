import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import type { Choose } from "./choices.js";

/**
 * Part of an encoder that is independent of the engine. It follows RFC 3986, RFC 8259, ProtoJSON and the comments in
 * google/api/http.proto; `choose` decides where they allow several encodings.
 */

/** Whether the ProtoJSON form of a type is neither an object nor an array. */
export function hasTextForm({ typeName }: DescMessage): boolean {
  return (
    /^google\.protobuf\.(Timestamp|Duration|FieldMask|[A-Za-z0-9]+Value)$/.test(typeName) &&
    !/\.(List)?Value$/.test(typeName)
  );
}

export function spell(path: readonly DescField[], choose: Choose): string[] {
  return path.map(({ name, jsonName }) => (choose(2) === 0 ? name : jsonName));
}

/** The value of a field: a value, an array, or an array of keys and values. Messages are not unwrapped. */
export function heldBy(message: Message, field: DescField): unknown {
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

/** The text of a value in a path or a query. */
export function writeText(field: DescField, value: unknown, choose: Choose): string {
  if (field.enum !== undefined) {
    return writeEnum(field, value, choose).toString();
  }
  if (field.message !== undefined) {
    return writeTextForm(field.message, value as Message, choose);
  }
  return writeScalarText(field.scalar, value, choose);
}

export function writeScalarText(type: ScalarType | undefined, value: unknown, choose: Choose): string {
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

export function writeNumber(value: number): string {
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

/** An integer in other forms of ProtoJSON: with an exponent, or a fraction of zero. */
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

/** The `http_value` of an enum value, if the enum has any. */
const HTTP_NAMES: Record<string, string> = { GENRE_NOVEL: "novel", GENRE_ESSAY: "essay" };

export function writeEnum(field: DescField, value: unknown, choose: Choose): string | number {
  const name = field.enum?.values.find(({ number }) => number === value)?.name;
  return name === undefined
    ? (value as number)
    : ([name, value as number, HTTP_NAMES[name]][choose(3)] ?? name);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** RFC 4648, sections 4 and 5, with or without padding. */
function writeBase64(bytes: Uint8Array, choose: Choose): string {
  const alphabet = BASE64 + (choose(2) === 0 ? "+/" : "-_");
  let bits = "";
  for (const byte of bytes) {
    bits += byte.toString(2).padStart(8, "0");
  }
  let text = "";
  for (let index = 0; index < bits.length; index += 6) {
    text += alphabet.charAt(Number.parseInt(bits.slice(index, index + 6).padEnd(6, "0"), 2));
  }
  return choose(2) === 0 ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

/** The text of a well-known type that is a string, number or boolean in ProtoJSON. */
export function writeTextForm(desc: DescMessage, message: Message, choose: Choose): string {
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

/** Nanoseconds as a fraction: empty, or a point and up to nine digits. */
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

/** RFC 3339, in any time zone. */
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
