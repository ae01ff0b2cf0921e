import { type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import type { Choose } from "./choices.js";
import { hasTextForm, heldBy, spell, writeText } from "./text-encoder.js";

/**
 * Part of an encoder that is independent of the engine: it follows RFC 3986, RFC 8259, ProtoJSON and the comment of
 * google/api/http.proto only. `choose` selects one of several valid forms.
 */

const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/** Percent-encodes everything except unreserved characters and `kept`, and sometimes unreserved characters too. */
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

/** Writes a message as a query. `without` excludes fields of the message itself. */
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

/** The values of each field. Values of one field must keep their order. */
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
