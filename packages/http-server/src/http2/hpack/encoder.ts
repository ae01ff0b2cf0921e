import { CONNECTION_HEADERS } from "../../core/connection-headers.js";
import type { HeaderList } from "../../request.js";
import { NAME_BYTES } from "./header-name.js";
import { STATIC_TABLE } from "./static-table.js";

/** The entries of the static table with one name. */
class StaticName {
  /** The index of the entry with a value. */
  readonly values = new Map<string, number>();

  constructor(readonly index: number) {}
}

const staticNames = new Map<string, StaticName>();
for (const [position, { name, value }] of STATIC_TABLE.entries()) {
  const entry = staticNames.get(name) ?? new StaticName(position + 1);
  staticNames.set(name, entry);
  if (value !== "") entry.values.set(value, position + 1);
}

/** The index of the last pseudo-header: the static table begins with them. */
const LAST_PSEUDO = 14;

/** The index of `transfer-encoding`, the only header about the connection in the static table. */
const TRANSFER_ENCODING = 57;

/** An index, and the lengths of a name and a value, have at most 5 bytes each. */
const INTEGERS = 15;

/**
 * Writes a header block that neither uses nor changes the dynamic table: indexed fields of the static table, and literals
 * without indexing and without Huffman code (RFC 7541, section 6). Returns the position behind it, or -1 if the target may be
 * too short; the bytes from `at` on are undefined then. Spaces and tabs around a value are omitted (RFC 9110, section 5.5).
 * Throws a TypeError if a name is not a token in lower case, if a value has NUL, CR, LF or a character above 0xff (RFC 9113,
 * section 8.2.1), if a header is about the connection (section 8.2.2), or if a pseudo-header follows a regular one or stands beside `:status` (section 8.3).
 */
export function encodeHeaders(list: HeaderList, target: Uint8Array, at: number): number {
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i] as string;
    const value = list[i + 1] as string;
    if (target.length - at < name.length + value.length + INTEGERS) return -1;
    const known = staticNames.get(name);
    if (known === undefined) {
      target[at++] = 0;
      at = writeName(name, target, at);
    } else {
      if (i > 0 && known.index <= LAST_PSEUDO) checkOrder(list, i);
      if (known.index === TRANSFER_ENCODING) throw new TypeError(`HTTP/2 does not allow the header ${name}`);
      const index = known.values.size === 0 ? undefined : known.values.get(value);
      if (index !== undefined) {
        target[at++] = 0x80 | index;
        continue;
      }
      at = writeInteger(known.index, 0x0f, 0x00, target, at);
    }
    at = writeValue(name, value, target, at);
  }
  return at;
}

/**
 * Throws if a pseudo-header follows a regular one, or stands beside `:status` (RFC 9113, section 8.3): an application has
 * passed it as one of its own headers.
 */
function checkOrder(list: HeaderList, at: number): void {
  const name = list[at] as string;
  if (name === ":status" || list[0] === ":status" || list[at - 2]?.startsWith(":") !== true) {
    throw new TypeError(`The pseudo-header ${name} is not allowed here`);
  }
}

function writeName(name: string, target: Uint8Array, at: number): number {
  const { length } = name;
  at = writeInteger(length, 0x7f, 0x00, target, at);
  let isValid = length > 0;
  for (let i = 0; i < length; i++) {
    const code = name.charCodeAt(i);
    if (NAME_BYTES[code] !== 1) isValid = false;
    target[at++] = code;
  }
  if (CONNECTION_HEADERS.has(name)) throw new TypeError(`HTTP/2 does not allow the header ${name}`);
  if (!isValid) throw new TypeError(`${JSON.stringify(name)} is not a header name of HTTP/2`);
  return at;
}

function writeValue(name: string, value: string, target: Uint8Array, at: number): number {
  const text = trim(value);
  const { length } = text;
  at = writeInteger(length, 0x7f, 0x00, target, at);
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

/** Writes an integer (RFC 7541, section 5.1) behind the bits of its first byte. */
function writeInteger(value: number, mask: number, bits: number, target: Uint8Array, at: number): number {
  if (value < mask) {
    target[at++] = bits | value;
    return at;
  }
  target[at++] = bits | mask;
  let rest = value - mask;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}
