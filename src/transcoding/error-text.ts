import type { FieldViolation } from "../rpc/rpc-error.js";

/** `; allowed: a, b`, each value once, or nothing where there is nothing to list. */
export function allowedValues(values: readonly string[]): string {
  const unique = [...new Set(values)];
  return unique.length === 0 ? "" : `; allowed: ${unique.join(", ")}`;
}

/** A name that a caller made up, short enough to be repeated in an error. */
export function abbreviate(name: string): string {
  if (name.length <= MAX_NAME) {
    return name;
  }
  const characters = [...name.slice(0, 2 * MAX_NAME)];
  return characters.length <= MAX_NAME ? characters.join("") : `${characters.slice(0, MAX_NAME).join("")}…`;
}

const MAX_NAME = 64;

/** Violations that are gathered of one request at the most: more than one error tells of. */
export const MAX_GATHERED = 100;

/** Adds a violation, unless there are many already. */
export function addViolation(violations: FieldViolation[], violation: FieldViolation): void {
  if (violations.length < MAX_GATHERED) {
    violations.push(violation);
  }
}
