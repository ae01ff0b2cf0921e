import { malformed } from "./http-error.js";
import type { TemplateVariable } from "./path-template.js";
import { decodePercent, decodePercentExceptSlash } from "./percent-encoding.js";

/** A request target in origin form (RFC 9112, section 3.2.1), split at its first `?`. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits a request target; the `?` belongs to neither part. */
export function splitTarget(target: string): RequestTarget {
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** One way to read a path: its segments as they were sent, and the verb that was split off the last of them. */
export interface PathReading {
  readonly rawSegments: readonly string[];
  /** The segments percent-decoded, for comparing with literals. */
  readonly segments: readonly string[];
  readonly verb: string;
}

/**
 * The ways to read a path, the likelier first. A colon is an ordinary character of a segment (an IPv6 address has
 * many): a verb is split off only where it is one of `verbs`. What does not begin with a slash is no
 * path and cannot be read. Throws a 400 HttpError for a malformed percent-encoding.
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
 * What a path has for a variable: percent-decoded, except that `%2F` stays in a variable that spans several
 * segments.
 * https://github.com/googleapis/googleapis/blob/master/google/api/http.proto
 */
export function captureVariable(variable: TemplateVariable, { rawSegments, segments }: PathReading): string {
  if (!variable.multiSegment) {
    return segments[variable.start] ?? "";
  }
  const last = variable.spansRest ? undefined : variable.end;
  return rawSegments
    .slice(variable.start, last)
    .map((segment) => decodePercentExceptSlash(segment) ?? failMalformed())
    .join("/");
}

function failMalformed(): never {
  throw malformed("MALFORMED_PATH", "the path has a malformed percent-encoding, or one that is not UTF-8");
}
