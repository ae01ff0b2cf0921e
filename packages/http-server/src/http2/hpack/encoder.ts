import { CONNECTION_HEADERS } from "../../core/field-values.js";
import { LOWER_CASE_TOKEN } from "../../core/rules.js";
import type { HeaderList } from "../../request.js";
import { STATIC_TABLE } from "./static-table.js";

/** The indices of the static table by status, and by the other names that responses may have. */
const statuses = new Map<number, number>();
const names = new Map<string, number>();
for (const [position, [name, value]] of STATIC_TABLE.entries()) {
  if (name === ":status") statuses.set(Number(value), position + 1);
  else if (!name.startsWith(":") && !CONNECTION_HEADERS.has(name)) names.set(name, position + 1);
}

/** The index of the name `:status`. */
const STATUS = 8;

/** Writes the field `:status`. Returns the position behind it. */
export function encodeStatus(status: number, target: Uint8Array, at: number): number {
  const index = statuses.get(status);
  target[at] = index === undefined ? STATUS : 0x80 | index;
  return index === undefined ? writeValue(":status", `${status}`, target, at + 1) : at + 1;
}

/**
 * Writes a header block that neither uses nor changes the dynamic table: literals
 * without indexing and without Huffman code (RFC 7541, section 6). Returns the position behind it. The caller has made room for
 * it. Spaces and tabs around a value are omitted (RFC 9110, section 5.5).
 * Throws a TypeError if a name is not a token in lower case, such as a pseudo-header, if a value has NUL, CR, LF or a character
 * above 0xff (RFC 9113, section 8.2.1), or if a header is about the connection (section 8.2.2).
 */
export function encodeHeaders(list: HeaderList, target: Uint8Array, at: number): number {
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i] as string;
    const value = list[i + 1] as string;
    const index = names.get(name);
    if (index === undefined) {
      target[at++] = 0;
      at = writeName(name, target, at);
    } else {
      at = writeInteger(index, 0x0f, target, at);
    }
    at = writeValue(name, value, target, at);
  }
  return at;
}

function writeName(name: string, target: Uint8Array, at: number): number {
  const { length } = name;
  if (CONNECTION_HEADERS.has(name)) throw new TypeError(`HTTP/2 does not allow the header ${name}`);
  if (!LOWER_CASE_TOKEN.test(name)) {
    throw new TypeError(`${JSON.stringify(name)} is not a header name of HTTP/2`);
  }
  at = writeInteger(length, 0x7f, target, at);
  for (let i = 0; i < length; i++) target[at++] = name.charCodeAt(i);
  return at;
}

function writeValue(name: string, value: string, target: Uint8Array, at: number): number {
  const text = trim(value);
  const { length } = text;
  at = writeInteger(length, 0x7f, target, at);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff || (code <= 0x0d && (code === 0x00 || code === 0x0a || code === 0x0d))) {
      throw new TypeError(`The value of the header ${name} has a character that HTTP does not allow`);
    }
    target[at++] = code;
  }
  return at;
}

/** The text without spaces and tabs at its ends. `String.trim` would remove other characters, too. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Writes an integer (RFC 7541, section 5.1). The other bits of its first byte are zero. */
function writeInteger(value: number, mask: number, target: Uint8Array, at: number): number {
  if (value < mask) {
    target[at++] = value;
    return at;
  }
  target[at++] = mask;
  let rest = value - mask;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}

/** The fields that a request begins with. */
export interface PseudoHeaders {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** Encodes the pseudo-headers of requests. Throws a TypeError for a character that HTTP does not allow. */
export function encodePseudoHeaders(fields: PseudoHeaders): Uint8Array {
  const values = [fields.method, fields.scheme, fields.authority, fields.path];
  const target = new Uint8Array(values.reduce((length, value) => length + value.length + 8, 0));
  let at = 0;
  for (const [position, name] of PSEUDO_HEADERS.entries()) {
    at = writeInteger(STATIC_TABLE.findIndex(([known]) => known === name) + 1, 0x0f, target, at);
    at = writeValue(name, values[position] ?? "", target, at);
  }
  return target.subarray(0, at);
}

const PSEUDO_HEADERS = [":method", ":scheme", ":authority", ":path"];
