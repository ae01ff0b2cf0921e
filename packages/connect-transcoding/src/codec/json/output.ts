import { type BinaryOutput, createBinaryOutput, reserve } from "../binary/output.js";
import { jsonTextOf } from "./data.js";

/** A growing buffer of JSON in UTF-8. Joining short texts instead would create an object for each. */
export interface JsonOutput extends BinaryOutput {
  /** Whether all of it is ASCII. */
  isAscii: boolean;
}

/** The initial capacity of an output, and the limit up to which it is kept for the next text. A long batch has 250 KB. */
const FIRST_BYTES = 4 * 1024;
const KEPT_BYTES = 512 * 1024;

/** Longer texts are written by Buffer.write, which is faster for them than a loop. */
const MAX_LOOPED = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NOT_PLAIN = /[^ !#-[\]-~]/;

let spare: JsonOutput | undefined;

/** From this length on, a body is bytes, which is how it is sent. */
const MIN_BYTES = 16 * 1024;

/** Adds a value to an output. */
export type Add<T> = (out: JsonOutput, value: T) => void;

/** Returns the text that `add` adds to an output. */
export function jsonText<T>(add: Add<T>, value: T): string {
  return withOutput(add, value, textOf);
}

/** Returns what `add` adds to an output: a text, or bytes if it is long. */
export function jsonBody<T>(add: Add<T>, value: T): string | Uint8Array {
  return withOutput(add, value, bodyOf);
}

/**
 * The output is reused, up to 512 KiB. A call takes ownership of it while it runs, so that a call that throws, and a nested call,
 * never leave it in use twice.
 */
function withOutput<T, R>(add: Add<T>, value: T, resultOf: (out: JsonOutput) => R): R {
  const out = spare ?? createJsonOutput();
  spare = undefined;
  out.position = 0;
  out.isAscii = true;
  add(out, value);
  const result = resultOf(out);
  if (out.bytes.length <= KEPT_BYTES) {
    spare = out;
  }
  return result;
}

function textOf({ buffer, isAscii, position }: JsonOutput): string {
  return buffer.toString(isAscii ? "latin1" : "utf8", 0, position);
}

function bodyOf(out: JsonOutput): string | Uint8Array {
  return out.position < MIN_BYTES ? textOf(out) : out.bytes.slice(0, out.position);
}

function createJsonOutput(): JsonOutput {
  // V8 makes slower code for objects that come from a spread.
  const { bytes, buffer, view } = createBinaryOutput(FIRST_BYTES);
  return { bytes, buffer, view, position: 0, isAscii: true };
}

/** Adds an ASCII character. */
function addCharacter(out: JsonOutput, code: number): void {
  reserve(out, 1);
  out.bytes[out.position++] = code;
}

/** Adds text as it is. It must not have lone surrogates. */
export function addText(out: JsonOutput, text: string): void {
  const { length } = text;
  // A UTF-16 code unit has at most three bytes in UTF-8.
  reserve(out, 3 * length);
  const { bytes, position } = out;
  if (length <= MAX_LOOPED) {
    let index = 0;
    for (; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) {
        break;
      }
      bytes[position + index] = unit;
    }
    if (index === length) {
      out.position = position + length;
      return;
    }
  }
  const written = out.buffer.write(text, position);
  out.isAscii &&= written === length;
  out.position = position + written;
}

/** A text that is added often, in UTF-8. Its bytes are copied faster than its characters. */
export interface PreparedText {
  readonly bytes: Uint8Array;
  readonly isAscii: boolean;
}

/** Prepares text for {@link addPrepared}. It must not have lone surrogates. */
export function prepareText(text: string): PreparedText {
  const bytes = Buffer.from(text);
  return { bytes, isAscii: bytes.length === text.length };
}

/** Adds a prepared text, which should be short: a loop copies it, without a view. */
export function addPrepared(out: JsonOutput, { bytes: added, isAscii }: PreparedText): void {
  const { length } = added;
  reserve(out, length);
  const { bytes, position } = out;
  for (let index = 0; index < length; index++) {
    bytes[position + index] = added[index] ?? 0;
  }
  out.position = position + length;
  out.isAscii &&= isAscii;
}

/** Adds a JSON string. */
export function addString(out: JsonOutput, value: string): void {
  const { length } = value;
  reserve(out, length + 2);
  const { bytes } = out;
  let { position } = out;
  bytes[position++] = QUOTE;
  if (length > MAX_LOOPED) {
    if (NOT_PLAIN.test(value)) {
      addText(out, jsonTextOf(value));
      return;
    }
    position += out.buffer.write(value, position, "latin1");
  } else {
    for (let index = 0; index < length; index++) {
      const unit = value.charCodeAt(index);
      if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) {
        addText(out, jsonTextOf(value));
        return;
      }
      bytes[position++] = unit;
    }
  }
  bytes[position++] = QUOTE;
  out.position = position;
}

const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Adds a comma unless what started at a position is empty. */
export function addSeparator(out: JsonOutput, start: number): void {
  if (out.position > start) {
    addCharacter(out, COMMA);
  }
}

/** Adds the name of a member, and a colon. */
export function addName(out: JsonOutput, name: string): void {
  addString(out, name);
  addCharacter(out, COLON);
}

/** Adds an array. */
export function addArray<T>(out: JsonOutput, elements: Iterable<T>, add: Add<T>): void {
  addCharacter(out, OPENING_BRACKET);
  const start = out.position;
  for (const element of elements) {
    addSeparator(out, start);
    add(out, element);
  }
  addCharacter(out, CLOSING_BRACKET);
}

/** Adds an object, whose members `addMembers` adds. */
export function addObject<T>(out: JsonOutput, value: T, addMembers: Add<T>): void {
  addCharacter(out, OPENING_BRACE);
  addMembers(out, value);
  addCharacter(out, CLOSING_BRACE);
}

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Four decimal places. */
const SCALE = 10_000;
/** Up to here, digits are computed as 32-bit integers. */
const MAX_INTEGER = 2 ** 31 - 1;
/** The length of the longest number that is written digit by digit: `-200000.1234`. */
const MAX_DIGITS = 12;

/**
 * Adds a finite number as JSON.stringify writes it. Numbers with up to four decimal places are written digit by digit, without a
 * text: no two of them have the same 15 digits, so this is their shortest form.
 */
export function addNumber(out: JsonOutput, value: number): void {
  const size = Math.abs(value);
  const isInteger = size <= MAX_INTEGER && Math.trunc(size) === size;
  const scaled = isInteger ? size : Math.round(size * SCALE);
  if (scaled > MAX_INTEGER || (!isInteger && scaled / SCALE !== size)) {
    addText(out, `${value}`);
    return;
  }
  reserve(out, MAX_DIGITS);
  if (value < 0) {
    out.bytes[out.position++] = MINUS;
  }
  if (isInteger) {
    addDigits(out, scaled, widthOf(scaled));
    return;
  }
  const whole = Math.trunc(scaled / SCALE);
  addDigits(out, whole, widthOf(whole));
  out.bytes[out.position++] = POINT;
  addDigits(out, scaled % SCALE, 4);
  while (out.bytes[out.position - 1] === ZERO) {
    out.position--;
  }
}

function addDigits(out: JsonOutput, value: number, width: number): void {
  const { bytes, position } = out;
  let rest = value;
  for (let at = position + width - 1; at >= position; at--) {
    const next = Math.trunc(rest / 10);
    bytes[at] = ZERO + rest - 10 * next;
    rest = next;
  }
  out.position = position + width;
}

function widthOf(value: number): number {
  let width = 1;
  for (let limit = 10; value >= limit; limit *= 10) {
    width++;
  }
  return width;
}
