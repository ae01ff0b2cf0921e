import { badRequest, type Rejection } from "../core/rejection.js";
import {
  FIELD_OVERHEAD,
  type SectionLimits,
  sectionTooLarge,
  TOKEN_BYTES,
  VALUE_BYTES,
} from "../core/rules.js";
import type { HeaderList, HeaderSection } from "../request.js";

const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;

/** The positions of each field in the text: start and end of the name, start and end of the value. */
const PER_FIELD = 4;

/** A header or trailer section: its text, and where the fields are. Values are cut out when they are needed. */
export class FieldSection implements HeaderSection {
  readonly #text: string;
  readonly #positions: readonly number[];
  #list: HeaderList | undefined;

  constructor(text: string, positions: readonly number[]) {
    this.#text = text;
    this.#positions = positions;
  }

  get size(): number {
    return this.#positions.length / PER_FIELD;
  }

  /** The number of characters. */
  get length(): number {
    return this.#text.length;
  }

  get list(): HeaderList {
    if (this.#list === undefined) {
      const list: string[] = [];
      for (let at = 0; at < this.#positions.length; at += PER_FIELD) {
        list.push(this.#slice(at).toLowerCase(), this.#slice(at + 2));
      }
      this.#list = list;
    }
    return this.#list;
  }

  get(name: string): string | undefined {
    const positions = this.#positions;
    const { length } = name;
    let value: string | undefined;
    for (let at = 0; at < positions.length; at += PER_FIELD) {
      const start = positions[at] as number;
      if ((positions[at + 1] as number) - start === length && isSameName(this.#text, start, name)) {
        const next = this.#slice(at + 2);
        value = value === undefined ? next : `${value}${name === "cookie" ? "; " : ", "}${next}`;
      }
    }
    return value;
  }

  #slice(at: number): string {
    return this.#text.slice(this.#positions[at], this.#positions[at + 1]);
  }
}

/** Whether the text has a lower-case name at a position, regardless of case. */
function isSameName(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const found = text.charCodeAt(start + index);
    const expected = name.charCodeAt(index);
    if (found !== expected && (found + 0x20 !== expected || found < 0x41 || found > 0x5a)) {
      return false;
    }
  }
  return true;
}

/**
 * Parses a section (RFC 9112, section 5).
 *
 * @param end the position after the CRLF of the last field line
 * @param size the size of what precedes the section, which counts for the limit
 */
export function parseSection(
  bytes: Buffer,
  start: number,
  end: number,
  size: number,
  limits: SectionLimits,
): FieldSection | Rejection {
  const { maxHeaderBytes, maxHeaderFields } = limits;
  const positions: number[] = [];
  let total = size;
  let at = start;
  while (at < end) {
    const nameStart = at;
    while (TOKEN_BYTES[bytes[at] as number] === 1) {
      at += 1;
    }
    if (bytes[at] !== COLON || at === nameStart) {
      return badLine(bytes, nameStart, at);
    }
    const nameEnd = at;
    at += 1;
    while (bytes[at] === SPACE || bytes[at] === TAB) {
      at += 1;
    }
    let valueStart = at;
    while (VALUE_BYTES[bytes[at] as number] === 1) {
      at += 1;
    }
    if (bytes[at] !== CR || bytes[at + 1] !== LF) {
      return badRequest("a header value has a control character, or a line does not end with CRLF");
    }
    let valueEnd = at;
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === SPACE || bytes[valueEnd - 1] === TAB)) {
      valueEnd -= 1;
    }
    valueStart = Math.min(valueStart, valueEnd);
    at += 2;
    total += nameEnd - nameStart + (valueEnd - valueStart) + FIELD_OVERHEAD;
    if (total > maxHeaderBytes || positions.length >= PER_FIELD * maxHeaderFields) {
      return sectionTooLarge(limits);
    }
    positions.push(nameStart - start, nameEnd - start, valueStart - start, valueEnd - start);
  }
  return new FieldSection(bytes.toString("latin1", start, end), positions);
}

function badLine(bytes: Buffer, start: number, at: number): Rejection {
  const isBlank = bytes[at] === SPACE || bytes[at] === TAB;
  if (isBlank && at === start) {
    return badRequest("a header line begins with a space: line folding is not supported");
  }
  return badRequest(
    isBlank ? "a header has a space before its colon" : "a header line has no valid name and colon",
  );
}
