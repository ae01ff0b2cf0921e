/** A value that differs, and where. */
export interface Difference {
  /** The keys and indices, joined by dots. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
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

/** Formats a value for display, shortened. */
export function short(value: unknown, length = 400): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
}
