import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import type { JsonForm } from "./form.js";
import { enumWriter, scalarWriter } from "./scalars.js";

/** The text of an absent field without presence. */
export function textOfDefault(field: DescField, { enums, longs }: JsonForm): string | undefined {
  switch (field.fieldKind) {
    case "list":
      return "[]";
    case "map":
      return "{}";
    case "message":
      return undefined;
    case "enum":
      return enumWriter(field.enum, enums)(field.enum.values[0]?.number ?? 0);
    case "scalar":
      return scalarWriter(field.scalar, false, longs)(scalarZeroValue(field.scalar, false));
  }
}

/** Returns the test whether a value is the default of a field without presence. -0 is not. */
export function defaultTest(field: DescField): (value: unknown) => boolean {
  switch (field.fieldKind) {
    case "list":
      return (value) => (value as readonly unknown[] | undefined)?.length === 0;
    case "map":
      return (value) => Object.keys(value ?? {}).length === 0;
    case "message":
      return () => false;
    case "enum": {
      const zero = field.enum.values[0]?.number ?? 0;
      return (value) => value === zero;
    }
    case "scalar":
      if (field.scalar === ScalarType.BYTES) {
        return (value) => (value as ArrayLike<number> | undefined)?.length === 0;
      }
      return (value) =>
        value === "" || value === false || value === 0n || Object.is(value, 0) || isZeroText(field, value);
  }
}

/** Whether a 64-bit integer that is held as a string is zero. */
function isZeroText(field: DescField, value: unknown): boolean {
  return value === "0" && field.scalar !== ScalarType.STRING;
}
