import type { Choose } from "./choices.js";

/**
 * Converts a message to an init object for `create`: some objects lose `$typeName` and empty fields. `leaf` converts bytes,
 * which may have another form.
 */
export function toInit(
  value: unknown,
  choose: Choose,
  leaf: (bytes: Uint8Array, choose: Choose) => unknown = (bytes) => bytes,
): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => toInit(item, choose, leaf));
  }
  if (value instanceof Uint8Array) {
    return leaf(value, choose);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  // `create` returns a message unchanged, with everything in it; a oneof must keep its value.
  const isMessage = "$typeName" in value;
  if (isMessage && choose(4) === 0) {
    return value;
  }
  const entries = Object.entries(value).filter(
    ([name, item]) => name !== "$typeName" && !(isMessage && isEmpty(item) && choose(2) === 0),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, toInit(item, choose, leaf)]));
}

function isEmpty(value: unknown): boolean {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  return isEmptyList || value === "" || value === 0 || value === 0n || value === false;
}
