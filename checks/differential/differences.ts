import type { Case } from "../lib/cases.js";

/** A value that differs, and where. */
export interface Difference {
  /** The keys and indices, joined by dots. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** A difference that is on purpose. `T` is what its case is known by. */
export interface Known<T> {
  /** What it is, and the reason. */
  readonly why: string;
  readonly matches: (difference: Difference, about: T) => boolean;
}

/** Compares two values of objects, arrays and scalars. */
export function differencesOf(ours: unknown, theirs: unknown, path = ""): Difference[] {
  if (Object.is(ours, theirs)) {
    return [];
  }
  if (!isObject(ours) || !isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return [{ path, ours, theirs }];
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length !== theirs.length) {
    return [{ path, ours, theirs }];
  }
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...keys].flatMap((key) =>
    differencesOf(ours[key], theirs[key], path === "" ? key : `${path}.${key}`),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Counts the differences that are on purpose. Returns the others for display. */
export function problemsOf<T>(
  differences: readonly Difference[],
  known: readonly Known<T>[],
  about: T,
  peer: string,
  count: Case["count"],
): string[] {
  return differences.flatMap((difference) => {
    const kind = known.find(({ matches }) => matches(difference, about));
    if (kind !== undefined) {
      count(`on purpose, ${kind.why}`, peer);
      return [];
    }
    const { path, ours, theirs } = difference;
    return [`DIFFERENCE ${path}: ours ${short(ours)}, ${peer}'s ${short(theirs)}`];
  });
}

/** Formats a value for display, shortened. */
export function short(value: unknown, length = 400): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
}
