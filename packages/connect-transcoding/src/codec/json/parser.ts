import { abbreviate, malformed } from "../../errors/http-error.js";
import { hasAllDigits, parseExactIntegers } from "../exact-integers.js";
import { closingQuote, isJsonObject, type JsonData } from "./data.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes the body of a request. Throws a ConnectError (400) if it is not UTF-8; `part` names the part of the body. */
export function decodeUtf8(body: Uint8Array, part?: string): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw malformed("MALFORMED_BODY", `${part ?? "the body"} is not UTF-8`);
  }
}

/**
 * Parses the body of a request as JSON. Throws a ConnectError (400) if it is invalid or an object has a member twice. `part` names
 * the part of the body that is parsed.
 */
export function parseJson(body: Uint8Array, part?: string): JsonData {
  return parseMembers(body, part).value;
}

/**
 * Parses JSON as {@link parseJson} does. Also returns the names of the members if the value is an object: to list thousands takes
 * almost as long as to parse them, so it is done once.
 */
export function parseMembers(
  body: Uint8Array,
  part?: string,
): { readonly value: JsonData; readonly names: readonly string[] } {
  return parseText(decodeUtf8(body, part), part);
}

/** Parses a text as {@link parseMembers} does the bytes of one. */
export function parseText(
  text: string,
  part?: string,
): { readonly value: JsonData; readonly names: readonly string[] } {
  let value: JsonData;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the body, which can contain a secret.
    throw malformed("MALFORMED_BODY", `${part ?? "the body"} is not JSON`);
  }
  const names = isJsonObject(value) ? Object.keys(value) : [];
  const members = countMembers(value, names);
  if (members === countColons(text)) {
    return { value, names };
  }
  const duplicate = duplicateMember(text);
  if (duplicate !== undefined) {
    const place = part === undefined ? "" : `${part}: `;
    throw malformed(
      "MALFORMED_BODY",
      `${place}a JSON object has the member '${abbreviate(duplicate)}' twice`,
    );
  }
  return { value: Number.isNaN(members) ? parseExactIntegers(text) : value, names };
}

/** The number of colons in a text, also in strings. */
export function countColons(json: string): number {
  let colons = 0;
  for (let index = json.indexOf(":"); index !== -1; index = json.indexOf(":", index + 1)) {
    colons += 1;
  }
  return colons;
}

/** The depth up to which members are counted, well within the stack. */
const MAX_COUNTED_DEPTH = 200;

/**
 * The number of members of all objects in a parsed JSON text. If the text has as many colons, JSON.parse dropped no
 * duplicate member. Infinity for a value nested deeper than `depth`; NaN for one with a number that may have lost digits.
 *
 * @param names the names of the members of the value, if it is an object
 */
export function countMembers(
  value: JsonData,
  names?: readonly string[],
  depth: number = MAX_COUNTED_DEPTH,
): number {
  if (typeof value !== "object" || value === null) {
    return typeof value === "number" && !hasAllDigits(value) ? Number.NaN : 0;
  }
  if (depth === 0) {
    return Number.POSITIVE_INFINITY;
  }
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countMembers(item, undefined, depth - 1);
    }
  } else {
    for (const name of names ?? Object.keys(value)) {
      count += 1 + countMembers(value[name] ?? null, undefined, depth - 1);
    }
  }
  return count;
}

/**
 * The first duplicate member name in an object of a valid JSON text; undefined without one. JSON.parse silently keeps the
 * last of them; RFC 8259, section 4, calls the behavior unpredictable.
 */
export function duplicateMember(json: string): string | undefined {
  // The member names of each enclosing object; undefined for an array.
  const enclosing: (Set<string> | "no names yet" | undefined)[] = [];
  let nameComesNext = false;
  // Strings, brackets and commas suffice to tell member names from values.
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case OPENING_BRACE:
        enclosing.push("no names yet");
        nameComesNext = true;
        break;
      case OPENING_BRACKET:
        enclosing.push(undefined);
        nameComesNext = false;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        enclosing.pop();
        nameComesNext = false;
        break;
      case COMMA:
        nameComesNext = enclosing[enclosing.length - 1] !== undefined;
        break;
      case QUOTE: {
        const end = closingQuote(json, index);
        if (nameComesNext) {
          nameComesNext = false;
          const name = readName(json, index, end);
          const known = enclosing[enclosing.length - 1];
          const names = known instanceof Set ? known : new Set<string>();
          if (names.has(name)) {
            return name;
          }
          enclosing[enclosing.length - 1] = names.add(name);
        }
        index = end;
      }
    }
  }
  return undefined;
}

const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET, COMMA, QUOTE] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22,
] as const;

/** The member name between two quotes. */
function readName(json: string, start: number, end: number): string {
  const name = json.slice(start + 1, end);
  return name.includes("\\") ? JSON.parse(`"${name}"`) : name;
}
