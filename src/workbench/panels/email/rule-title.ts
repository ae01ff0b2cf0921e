import type { DescEnumValue } from "@bufbuild/protobuf";
import { titleOf } from "../../kit/field-text.js";

/** What to call a rule: the name of its value in the schema as words, without the name of the enum in front. */
export function ruleTitle(value: DescEnumValue | undefined): string {
  if (value === undefined) {
    return "";
  }
  const prefix = value.parent.sharedPrefix ?? "";
  return titleOf(value.name.toLowerCase().slice(prefix.length));
}
