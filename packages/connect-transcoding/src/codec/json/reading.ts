import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "../../errors/errors.js";
import { addViolation } from "../../errors/http-error.js";
import { MAX_DEPTH } from "../message-field.js";
import { missingFields } from "../required-fields.js";
import type { InvalidValue, ValueParser } from "../value-parser.js";
import type { JsonData } from "./data.js";

/** The state of reading one value. */
export interface JsonReading {
  /** What to do with members that are not fields, and with names that are no value of their enum. */
  readonly unknownMembers: "reject" | "ignore";
  /**
   * All violations so far, in the order of the text. The `field` of a violation is relative to the value being read; the
   * reader of the enclosing value prepends its own part ({@link prefixViolations}).
   */
  readonly violations: FieldViolation[];
  /** The number of messages around the value being read. */
  depth: number;
}

/** Reads one value; reports an invalid one and returns undefined. */
export type ValueReader<T = unknown> = (value: JsonData, reading: JsonReading) => T | undefined;

/** Adds a violation of the value being read. */
export function report(reading: JsonReading, reason: Uppercase<string>, description: string): void {
  addViolation(reading.violations, { field: "", reason, description });
}

/** Reports why the value being read is invalid. Returns undefined, as a {@link ValueReader} does then. */
export function reportInvalid(reading: JsonReading, { reason, description }: InvalidValue): undefined {
  report(reading, reason, description);
}

/** Reports why a message has no binary form: it lacks required fields. Returns undefined. */
export function reportMissing(reading: JsonReading, desc: DescMessage, message: Message): undefined {
  const missing = missingFields(desc, "jsonName")?.(message) ?? [];
  for (const { field, ...why } of missing) {
    addViolation(reading.violations, { field: `.${field}`, ...why });
  }
  if (missing.length === 0) {
    report(reading, "INVALID_VALUE", "has no binary form");
  }
}

/** Why a message is invalid that has more than {@link MAX_DEPTH} messages around it. */
export const TOO_DEEP: InvalidValue = {
  reason: "INVALID_VALUE",
  description: `is nested too deeply; allowed: ${MAX_DEPTH} messages`,
};

/** Prepends `prefix` to the field of each violation from index `start` on. */
export function prefixViolations(violations: FieldViolation[], start: number, prefix: string): void {
  for (const [index, violation] of violations.slice(start).entries()) {
    violations[start + index] = { ...violation, field: `${prefix}${violation.field}` };
  }
}

/** Returns a reader that reports the values that a parser rejects. */
export function parsing<T>(parse: ValueParser<T>): ValueReader<T> {
  return (value, reading) => {
    const parsed = parse(value);
    return parsed.ok ? parsed.value : reportInvalid(reading, parsed.failure);
  };
}
