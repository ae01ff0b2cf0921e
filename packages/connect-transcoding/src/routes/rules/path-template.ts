import { decodePercent } from "./percent-encoding.js";

/** One segment of a template: a percent-decoded literal, `*` for one segment, or `**` for any number of them. */
export type TemplateSegment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "rest" };

/**
 * A variable: the field that it binds, and the segments of the template that it spans, from `start` up to but excluding `end`.
 */
export interface TemplateVariable {
  readonly fieldPath: string;
  readonly start: number;
  readonly end: number;
  /** Whether `**` is one of its segments. */
  readonly spansRest: boolean;
  /** Whether `**` precedes it, so that its place in a path depends on the length of the path. */
  readonly followsRest: boolean;
  /** Whether it can span more than one segment; then `%2F` in it stays encoded. */
  readonly multiSegment: boolean;
}

/** A parsed path template. */
export interface PathTemplate {
  readonly source: string;
  readonly segments: readonly TemplateSegment[];
  readonly variables: readonly TemplateVariable[];
  /** The custom verb after the last colon, as in `/v1/books/*:archive`; empty without one. */
  readonly verb: string;
}

/**
 * Parses a path template of `google.api.http`:
 *
 * ```
 * Template  = "/" [ Segments [ Verb ] ] ;
 * Segments  = Segment { "/" Segment } ;
 * Segment   = "*" | "**" | LITERAL | Variable ;
 * Variable  = "{" FieldPath [ "=" Segments ] "}" ;
 * FieldPath = IDENT { "." IDENT } ;
 * Verb      = ":" LITERAL ;
 * ```
 *
 * A template has one `**` at most, and no field is bound twice. Variables can contain others, as in vanguard-go. A colon in the last segment
 * starts the verb, the last one if it has several; anywhere else it is part of a literal. The template `/` is the root: one empty literal.
 * Throws an Error with the template, the column (from 1) and the expected syntax.
 * https://google.aip.dev/127#schema
 */
export function parsePathTemplate(source: string): PathTemplate {
  const scanner = createScanner(source);
  const segments: TemplateSegment[] = [];
  const variables: TemplateVariable[] = [];

  scanner.expect("/");
  if (scanner.atEnd()) {
    return { source, segments: [{ kind: "literal", value: "" }], variables, verb: "" };
  }
  parseSegments(scanner, segments, variables);
  const verb = scanner.accept(":") ? scanner.literal("a literal") : "";
  if (!scanner.atEnd()) {
    scanner.failExpecting(verb === "" ? "'/', ':' or the end" : "the end");
  }
  return { source, segments, variables, verb };
}

function parseSegments(scanner: Scanner, segments: TemplateSegment[], variables: TemplateVariable[]): void {
  do {
    const column = scanner.column();
    if (scanner.accept("**")) {
      if (hasRest(segments)) {
        scanner.failAt(column, "a template can have one '**'");
      }
      segments.push({ kind: "rest" });
    } else if (scanner.accept("*")) {
      segments.push({ kind: "wildcard" });
    } else if (scanner.peek() === "{") {
      parseVariable(scanner, segments, variables);
    } else {
      segments.push({ kind: "literal", value: scanner.literal("a literal, '*', '**' or '{'") });
    }
  } while (scanner.accept("/"));
}

function parseVariable(scanner: Scanner, segments: TemplateSegment[], variables: TemplateVariable[]): void {
  scanner.expect("{");
  const column = scanner.column();
  let fieldPath = scanner.identifier();
  while (scanner.accept(".")) {
    fieldPath += `.${scanner.identifier()}`;
  }
  if (variables.some((variable) => variable.fieldPath === fieldPath)) {
    scanner.failAt(column, `the field '${fieldPath}' is bound twice`);
  }
  const [start, position] = [segments.length, variables.length];
  const hasSegments = scanner.accept("=");
  if (hasSegments) {
    parseSegments(scanner, segments, variables);
  } else {
    segments.push({ kind: "wildcard" });
  }
  if (!scanner.accept("}")) {
    scanner.failExpecting(hasSegments ? "'/' or '}'" : "'.', '=' or '}'");
  }
  const end = segments.length;
  const spansRest = hasRest(segments.slice(start));
  const followsRest = hasRest(segments.slice(0, start));
  // Before those that it contains.
  variables.splice(position, 0, {
    fieldPath,
    start,
    end,
    spansRest,
    followsRest,
    multiSegment: spansRest || end - start > 1,
  });
}

function hasRest(segments: readonly TemplateSegment[]): boolean {
  return segments.some(({ kind }) => kind === "rest");
}

/** Reads a path template from left to right. The `fail` methods throw an Error with the column, counted from 1. */
interface Scanner {
  /** The next character; empty at the end. */
  peek(): string;
  /** Consumes `text` if it comes next. */
  accept(text: string): boolean;
  /** Consumes `text`, or fails. */
  expect(text: string): void;
  /** Consumes a LITERAL and returns it percent-decoded, or fails; `expected` describes all alternatives. */
  literal(expected: string): string;
  /** Consumes an IDENT, or fails. */
  identifier(): string;
  atEnd(): boolean;
  column(): number;
  failExpecting(expected: string): never;
  failAt(column: number, problem: string): never;
}

// RFC 3986 pchar without '*', which is template syntax, and without the colon that starts the verb: no '/', ':' or '}'
// comes after that one.
const LITERAL = /(?:[A-Za-z0-9\-._~!$&'()+,;=@]|:(?=[^/:}]*[/:}])|%[0-9A-Fa-f]{2})+/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;

function createScanner(source: string): Scanner {
  let position = 0;

  const failAt = (column: number, problem: string): never => {
    throw new Error(`path template "${source}", column ${column}: ${problem}`);
  };
  const column = () => position + 1;
  const failExpecting = (expected: string): never =>
    failAt(
      column(),
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
    failExpecting,
    failAt,
  };
}
