import { decodePercent } from "./percent-encoding.js";

/** Reads a path template from left to right. Every `fail…` throws an Error with the column, counted from 1. */
export interface Scanner {
  /** The next character; empty at the end. */
  peek(): string;
  /** Takes `text` if it comes next. */
  accept(text: string): boolean;
  /** Takes `text`, or fails. */
  expect(text: string): void;
  /** Takes a LITERAL and returns it percent-decoded, or fails; `expected` says what else could stand there. */
  literal(expected: string): string;
  /** Takes an IDENT, or fails. */
  identifier(): string;
  atEnd(): boolean;
  column(): number;
  fail(problem: string): never;
  failExpecting(expected: string): never;
  failAt(column: number, problem: string): never;
}

// RFC 3986 pchar without ':' (it starts a verb) and '*' and '=' (they are the template's own).
const LITERAL = /(?:[A-Za-z0-9\-._~!$&'()+,;@]|%[0-9A-Fa-f]{2})+/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;

/** Starts to read a template at its first character. */
export function createScanner(source: string): Scanner {
  let position = 0;

  const failAt = (column: number, problem: string): never => {
    throw new Error(`path template "${source}", column ${column}: ${problem}`);
  };
  const column = () => position + 1;
  const fail = (problem: string): never => failAt(column(), problem);
  const failExpecting = (expected: string): never =>
    fail(
      `expected ${expected}, found ${position < source.length ? `'${String.fromCodePoint(source.codePointAt(position) ?? 0)}'` : "the end"}`,
    );
  const accept = (text: string): boolean => {
    const found = source.startsWith(text, position);
    position += found ? text.length : 0;
    return found;
  };
  const match = (pattern: RegExp, expected: string): string => {
    pattern.lastIndex = position;
    const text = pattern.exec(source)?.[0] ?? failExpecting(expected);
    position += text.length;
    return text;
  };

  return {
    peek: () => source.charAt(position),
    accept,
    expect: (text) => {
      if (!accept(text)) {
        failExpecting(`'${text}'`);
      }
    },
    literal: (expected) => {
      const start = column();
      const decoded = decodePercent(match(LITERAL, expected));
      return decoded ?? failAt(start, "the percent-encoding is not UTF-8");
    },
    identifier: () => match(IDENTIFIER, "a field name"),
    atEnd: () => position === source.length,
    column,
    fail,
    failExpecting,
    failAt,
  };
}
