import type { DescField } from "@bufbuild/protobuf";
import { enumValueName } from "../../proto-options.js";
import type { HttpBinding } from "./http-rule.js";

/** The parameters of a request that are not fields: those that select the method, and the one that selects JSON for the response. */
export function choiceParameters({
  select,
  representation,
}: HttpBinding["options"]): (readonly [name: string, value: string])[] {
  const selectors = select.flatMap(({ parameter, condition }) =>
    condition.case === "equals" ? [[parameter, condition.value] as const] : [],
  );
  const json = representation?.choices.find(({ textField }) => textField === "");
  return representation === undefined || json === undefined
    ? selectors
    : [...selectors, [representation.parameter, json.value]];
}

/** The text of a scalar in ProtoJSON in a path or a query. An enum value may have its own name over HTTP. */
export function parameterText(field: DescField, value: string | number | boolean): string {
  const named = field.enum?.values.find(({ name }) => name === value);
  return (named && enumValueName(named)) ?? String(value);
}
