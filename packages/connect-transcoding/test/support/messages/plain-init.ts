import type { Choose } from "./choices.js";

/**
 * A plain object that `create` accepts in place of a message: some parts lack `$typeName`, and empty fields are absent.
 * `leaf` converts bytes, which can have other forms.
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
  // `create` does not convert a message and its content; a oneof must have its value.
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
