import type { DescField } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { enumParser, scalarParser, type ValueParser } from "../../codec/value-parser.js";

/** Returns the parser of the JSON value of a single scalar or enum; undefined for any other field. */
export function comparableParser(field: DescField): ValueParser | undefined {
  switch (field.fieldKind) {
    case "scalar":
      return scalarParser(field.scalar, "json");
    case "enum":
      return enumParser(field.enum);
    default:
      return undefined;
  }
}

/** Whether a value is the default of a scalar or an enum. */
export function isDefault(field: DescField, value: unknown): boolean {
  switch (field.fieldKind) {
    case "scalar":
      return isSame(field.getDefaultValue() ?? scalarZeroValue(field.scalar, false), value);
    case "enum":
      return value === (field.getDefaultValue() ?? field.enum.values[0]?.number);
    default:
      return false;
  }
}

/** Whether two values of a scalar or an enum are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b) === 0;
  }
  // 64-bit integers can be held as strings.
  return typeof a === "bigint" || typeof b === "bigint"
    ? String(a) === String(b)
    : a === b || Object.is(a, b);
}
