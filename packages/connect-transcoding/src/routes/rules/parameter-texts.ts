import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FieldPath, jsonPath, protoPath } from "../../codec/message-field.js";
import { hasOwnForm, isWrittenAsText } from "../../codec/value-parser.js";
import { enumValueName } from "../../proto-options.js";
import { type HttpBinding, parameterFields } from "./http-rule.js";

/** The parameters of a request that are not fields: those that select the method, and the one that selects JSON for the response. */
export function choiceParameters({
  select,
  representation,
}: HttpBinding["options"]): [name: string, value: string][] {
  const selectors = select.flatMap(({ parameter, condition }) =>
    condition.case === "equals" ? [[parameter, condition.value] as [string, string]] : [],
  );
  const json = representation?.choices.find(({ textField }) => textField === "");
  return representation === undefined || json === undefined
    ? selectors
    : [...selectors, [representation.parameter, json.value]];
}

/**
 * The query of a request: the parameters that select something, and the fields in neither path nor body. Nested fields have
 * dots, lists a parameter per element. Throws a ConnectError for a field that cannot be in a query, such as a map, a Struct or a list of messages.
 *
 * @param json the request message
 */
export function queryParameters(binding: HttpBinding, json: JsonObject): [name: string, value: string][] {
  const { body, template, options } = binding;
  const inPath = new Set(template.variables.map(({ fieldPath }) => fieldPath));
  const fields = body.kind === "none" || body.kind === "field" ? parameterFields(binding) : [];
  return [
    ...choiceParameters(options),
    ...[...scalarsIn(fields, json, [])]
      .filter(([path]) => !inPath.has(protoPath(path)))
      .map(([path, text]): [string, string] => [jsonPath(path), text]),
  ];
}

function* scalarsIn(
  fields: readonly DescField[],
  json: JsonObject,
  parents: FieldPath,
): Iterable<readonly [FieldPath, string]> {
  for (const field of fields) {
    const path = [...parents, field];
    const { [field.jsonName]: given } = json;
    const { message } = field;
    if (given === undefined) {
      continue;
    }
    if (field.fieldKind !== "map" && (message === undefined || isWrittenAsText(message))) {
      const values = field.fieldKind === "list" ? (given as JsonValue[]) : [given];
      for (const value of values) {
        yield [path, parameterText(field, value as string | number | boolean | null)];
      }
    } else if (field.fieldKind === "message" && !hasOwnForm(field.message)) {
      yield* scalarsIn(field.message.fields, given as JsonObject, path);
    } else {
      throw new ConnectError(`the field ${jsonPath(path)} cannot be in a query`, Code.InvalidArgument);
    }
  }
}

/** The text of a scalar in ProtoJSON in a path or a query. An enum value may have its own name over HTTP. */
export function parameterText(field: DescField, value: string | number | boolean | null): string {
  const named = field.enum?.values.find(({ name }) => name === value || value === null);
  return (named && enumValueName(named)) ?? named?.name ?? String(value);
}
