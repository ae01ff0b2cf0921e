import { type Failure, fail, ok, type Result } from "../../result.js";

/** Why JSON is not of the shape that a reader wants; the message says where and what. */
export class ShapeError extends Error {}

/** What a function reads with {@link Reader}s; the failure says where the JSON is wrong. */
export function readCountryData<T>(read: () => T): Result<T, Failure<"BROKEN_COUNTRY_DATA">> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof ShapeError) {
      return fail("BROKEN_COUNTRY_DATA", error.message);
    }
    throw error;
  }
}

/** Reads one JSON value at a path such as `countries[3].code2`, or throws a {@link ShapeError} that names it. */
export type Reader<T> = (value: unknown, path: string) => T;

/** A string that matches a pattern as a whole; `expected` says in words what the pattern allows. */
export function text(pattern: RegExp, expected: string): Reader<string> {
  return (value, path) => {
    if (typeof value !== "string" || !pattern.test(value)) {
      throw new ShapeError(`${path} must be ${expected}, not ${shown(value)}`);
    }
    return value;
  };
}

/** Any string. */
export const anyText = text(/^/, "text");

/** A string that is not empty. */
export const someText = text(/./, "text that is not empty");

/** A finite number between two limits, both allowed. */
export function numberBetween(min: number, max: number): Reader<number> {
  return (value, path) => {
    if (typeof value !== "number" || !(value >= min && value <= max)) {
      throw new ShapeError(`${path} must be a number from ${min} to ${max}, not ${shown(value)}`);
    }
    return value;
  };
}

/** `true` or `false`. */
export const truth: Reader<boolean> = (value, path) => {
  if (typeof value !== "boolean") {
    throw new ShapeError(`${path} must be true or false, not ${shown(value)}`);
  }
  return value;
};

/** A list of things of one kind. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) {
      throw new ShapeError(`${path} must be a list, not ${shown(value)}`);
    }
    return value.map((item: unknown, index) => read(item, `${path}[${index}]`));
  };
}

/** An object with at least these fields; others are left out. */
export function objectOf<T extends object>(fields: { readonly [K in keyof T]-?: Reader<T[K]> }): Reader<T> {
  const readers = Object.entries(fields) as [string, Reader<unknown>][];
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new ShapeError(`${path} must be an object, not ${shown(value)}`);
    }
    const record = new Map(Object.entries(value));
    const entries = readers.map(([name, read]) => [name, read(record.get(name), `${path}.${name}`)]);
    return Object.fromEntries(entries) as T;
  };
}

function shown(value: unknown): string {
  if (value === undefined) {
    return "missing";
  }
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
