/** Where a field may be in a record: the names of the maps to go through, and the field's own. */
export type FieldPath = readonly string[];

/** The first of several fields that holds what `read` accepts; undefined when none does. Never throws. */
export function readField<T>(
  record: unknown,
  paths: readonly FieldPath[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const path of paths) {
    const value = read(path.reduce<unknown>(member, record));
    if (value !== undefined) {
      return value;
    }
  }
  return undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
