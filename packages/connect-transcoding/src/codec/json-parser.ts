import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { abbreviate, malformed } from "../errors/http-error.js";

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
export function parseJson(body: Uint8Array, part?: string): JsonValue {
  const text = decodeUtf8(body, part);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the body, which can contain a secret.
    throw malformed("MALFORMED_BODY", `${part ?? "the body"} is not JSON`);
  }
  const duplicate = hasOneMemberPerColon(text, value) ? undefined : duplicateMember(text);
  if (duplicate !== undefined) {
    const place = part === undefined ? "" : `${part}: `;
    throw malformed(
      "MALFORMED_BODY",
      `${place}a JSON object has the member '${abbreviate(duplicate)}' twice`,
    );
  }
  return value;
}

/**
 * Whether a JSON text has exactly one colon per member of its parsed value. Then the parser dropped no duplicate member.
 * False for a text with a colon in a string as well; this is only the fast check.
 */
export function hasOneMemberPerColon(json: string, value: JsonValue): boolean {
  let colons = 0;
  for (let index = json.indexOf(":"); index !== -1; index = json.indexOf(":", index + 1)) {
    colons += 1;
  }
  return countMembers(value, MAX_COUNTED_DEPTH) === colons;
}

/** The depth up to which members are counted, well within the stack. */
const MAX_COUNTED_DEPTH = 200;

/** The number of members of all objects in a value; NaN for a value nested deeper than `depth`. */
function countMembers(value: JsonValue, depth: number): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  if (depth === 0) {
    return Number.NaN;
  }
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countMembers(item, depth - 1);
    }
  } else {
    for (const name of Object.keys(value)) {
      count += 1 + countMembers(value[name] ?? null, depth - 1);
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

const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET, COMMA, QUOTE, BACKSLASH] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22, 0x5c,
] as const;

/** The index of the quote that closes the string opened at `start`. */
function closingQuote(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) {
    end = json.indexOf('"', end + 1);
  }
  return end === -1 ? json.length : end;
}

/** Whether an odd number of backslashes precedes an index. */
function isEscaped(json: string, index: number): boolean {
  let start = index;
  while (json.charCodeAt(start - 1) === BACKSLASH) {
    start -= 1;
  }
  return (index - start) % 2 === 1;
}

/** The member name between two quotes. */
function readName(json: string, start: number, end: number): string {
  const name = json.slice(start + 1, end);
  return name.includes("\\") ? JSON.parse(`"${name}"`) : name;
}
