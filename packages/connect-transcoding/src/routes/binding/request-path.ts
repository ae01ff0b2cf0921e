import { malformed } from "../../errors/http-error.js";
import type { PathTemplate, TemplateVariable } from "../rules/path-template.js";
import { decodePercent, decodePercentExceptSlash } from "../rules/percent-encoding.js";

/** A request target in origin form (RFC 9112, section 3.2.1), split at its first `?`. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits a request target; neither part includes the `?`. */
export function splitTarget(target: string): RequestTarget {
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** One way to read a path: its segments as sent, and the custom verb split off the last one. */
export interface PathReading {
  readonly rawSegments: readonly string[];
  /** The segments, percent-decoded. */
  readonly segments: readonly string[];
  /** Empty for a path read without a custom verb. */
  readonly verb: string;
}

/**
 * The ways to read a path, in order of precedence; none for a path without a leading slash. A colon is an ordinary
 * character (an IPv6 address has many): the text after it is a custom verb only if it is one of `verbs`. Throws a
 * ConnectError (400) for a malformed percent-encoding.
 */
export function readPath(path: string, verbs: ReadonlySet<string>): PathReading[] {
  if (!path.startsWith("/")) {
    return [];
  }
  const rawSegments = path.slice(1).split("/");
  const segments = path.includes("%")
    ? rawSegments.map((segment) => decodePercent(segment) ?? failMalformed())
    : rawSegments;
  const whole: PathReading = { rawSegments, segments, verb: "" };
  const last = rawSegments.at(-1) ?? "";
  const colon = last.lastIndexOf(":");
  if (colon === -1) {
    return [whole];
  }
  const verb = decodePercent(last.slice(colon + 1)) ?? failMalformed();
  if (!verbs.has(verb)) {
    return [whole];
  }
  const head = last.slice(0, colon);
  const split: PathReading = {
    rawSegments: [...rawSegments.slice(0, -1), head],
    segments: [...segments.slice(0, -1), decodePercent(head) ?? failMalformed()],
    verb,
  };
  return [split, whole];
}

/**
 * The value of a variable of a template that matches: percent-decoded, except that a variable of several segments keeps `%2F`.
 * https://github.com/googleapis/googleapis/blob/master/google/api/http.proto
 */
export function captureVariable(
  { start, end, multiSegment, spansRest, followsRest }: TemplateVariable,
  template: PathTemplate,
  { rawSegments, segments }: PathReading,
): string {
  // `**` makes a path longer or shorter than its template, which shifts the following segments.
  const added = segments.length - template.segments.length;
  const first = followsRest ? start + added : start;
  if (!multiSegment) {
    return segments[first] ?? "";
  }
  return rawSegments
    .slice(first, spansRest || followsRest ? end + added : end)
    .map((segment) => decodePercentExceptSlash(segment) ?? failMalformed())
    .join("/");
}

function failMalformed(): never {
  throw malformed("MALFORMED_PATH", "the path has a malformed percent-encoding, or one that is not UTF-8");
}

/** A name and value of a query or a form. */
export type NameValue = readonly [name: string, value: string];

/**
 * Parses a query or an `application/x-www-form-urlencoded` body: pairs joined by `&`, `+` for a space, the rest
 * percent-encoded. Unlike URLSearchParams, it returns undefined for an escape that is malformed or not UTF-8.
 */
export function parseFormUrlEncoded(text: string): NameValue[] | undefined {
  const pairs: NameValue[] = [];
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  for (let start = 0; start < spaced.length; ) {
    const ampersand = spaced.indexOf("&", start);
    const end = ampersand === -1 ? spaced.length : ampersand;
    // A search in the rest of the text would take quadratic time without the character.
    const pair = spaced.slice(start, end);
    const equals = pair.indexOf("=");
    const name = decodePercent(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decodePercent(pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      return undefined;
    }
    if (end > start) {
      pairs.push([name, value]);
    }
    start = end + 1;
  }
  return pairs;
}
