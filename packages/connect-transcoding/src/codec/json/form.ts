import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";

/** How messages are written as JSON, where ProtoJSON leaves a choice. https://protobuf.dev/programming-guides/json/#json-options */
export interface JsonForm {
  /** Names of fields: lower camel case, or as in the proto file. Both are read. Default: `json`. */
  readonly fieldNames?: "json" | "proto" | undefined;
  /**
   * Enum values by their `http_value` or else their name, by name, or by number. All are read. Default: `http` over REST, `names` in
   * other protocols.
   */
  readonly enums?: "http" | "names" | "numbers" | undefined;
  /** Whether fields without presence are written at their default. Default: `include`. */
  readonly defaults?: "include" | "omit" | undefined;
  /** 64-bit integers: as strings, or as numbers if JavaScript's numbers hold them exactly. Both are read. Default: `strings`. */
  readonly longs?: "strings" | "numbers" | undefined;
}

const FORM_OPTIONS: OptionNames<JsonForm> = { fieldNames: true, enums: true, defaults: true, longs: true };

/** Returns a copy of a form. Throws an UnknownOptionError. */
export function readJsonForm(form: JsonForm = {}): JsonForm {
  return knownOptions("json", form, FORM_OPTIONS);
}
