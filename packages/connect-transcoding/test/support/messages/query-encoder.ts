import { type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Choose } from "./choices.js";
import { hasTextForm, heldBy, spell, writeText } from "./text-encoder.js";

/**
 * Part of an encoder that is independent of the engine. It follows RFC 3986, RFC 8259, ProtoJSON and the comments in
 * google/api/http.proto; `choose` decides where they allow several encodings.
 */

const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/** Percent-encodes reserved and some unreserved characters, but not those in `kept`. */
function percentEncode(text: string, kept: string, choose: Choose): string {
  let escaped = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const character = String.fromCharCode(byte);
    const plain = UNRESERVED.test(character) ? choose(12) > 0 : byte < 128 && kept.includes(character);
    const hex = byte.toString(16).padStart(2, "0");
    escaped += plain ? character : `%${choose(2) === 0 ? hex : hex.toUpperCase()}`;
  }
  return escaped;
}

/** One segment of a path. */
export function writeSegment(text: string, choose: Choose): string {
  return percentEncode(text, choose(2) === 0 ? "" : "!$&'()*+,;=@", choose);
}

/** The query of a message, without some of its top-level fields. */
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

/** The values of each field; those of one field keep their order. */
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

/** Whether a query can contain a field: no map, no list of messages, and no type whose JSON form is an object. */
export function fitsQuery(field: DescField): boolean {
  switch (field.fieldKind) {
    case "map":
      return false;
    case "list":
      return field.message === undefined || hasTextForm(field.message);
    case "message":
      return hasTextForm(field.message) || !field.message.typeName.startsWith("google.protobuf.");
    default:
      return true;
  }
}

/** Removes empty messages, which a query cannot contain. */
export function dropEmpty(desc: DescMessage, message: Message): Message {
  const held = reflect(desc, message, false);
  for (const field of desc.fields) {
    if (field.fieldKind === "message" && !hasTextForm(field.message) && held.isSet(field)) {
      const inner = dropEmpty(field.message, held.get(field).message);
      if (!field.message.fields.some((each) => isFieldSet(inner, each))) {
        held.clear(field);
      }
    }
  }
  return message;
}
