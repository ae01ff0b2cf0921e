import type { Choose } from "./choices.js";

/**
 * A plain object that `create` takes for a message: here and there without `$typeName`, and without what is empty.
 * `leaf` says what becomes of octets, which may be given as something else.
 */
export function toInit(
  value: unknown,
  choose: Choose,
  leaf: (octets: Uint8Array, choose: Choose) => unknown = (octets) => octets,
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
  // A message is taken as it is, and all within it; a oneof has to have its value.
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
