import { hasOwnForm } from "../../codec/value-parser.js";
import { ALTERNATIVES } from "../../routes/binding/system-parameters.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import { givesStream, responseBodyOf } from "../../routes/rules/http-rule.js";
import type { OperationParameter, Reference } from "../open-api.js";

/** The system parameters of Google's APIs as components, by their names there. https://cloud.google.com/apis/docs/system-parameters */
export const SYSTEM_PARAMETERS: Readonly<Record<string, OperationParameter>> = {
  Alt: {
    name: "$alt",
    in: "query",
    required: false,
    description:
      "The form of the response: `json`, `json;enum-encoding=int` with numbers for enum values, or `sse` for a stream of server-sent events.",
    schema: { type: "string", enum: ALTERNATIVES, default: "json" },
  },
  Fields: {
    name: "$fields",
    in: "query",
    required: false,
    description:
      "The fields of the response, as a field mask: `name,author(name)`. Other fields are absent, also those that the schema requires.",
    schema: { type: "string" },
  },
  PrettyPrint: {
    name: "$prettyPrint",
    in: "query",
    required: false,
    description: "Whether the response has line breaks and indentation. Messages of streams never have.",
    schema: { type: "boolean", default: false },
  },
};

/** References to the system parameters of an operation. Only messages have fields, and only they and streams of them have forms. */
export function systemParameters(group: BindingGroup): Reference[] {
  const bodies = group.map((binding) => ({ binding, body: responseBodyOf(binding) }));
  const isJson = bodies.some(({ body }) => body.kind === "json");
  const isMessage = bodies.some(({ binding: { method }, body: { kind, field } }) => {
    const message = field === undefined ? method.output : field.message;
    return kind === "json" && field?.fieldKind !== "map" && message !== undefined && !hasOwnForm(message);
  });
  const isStream = group.every(({ method }) => givesStream(method));
  const names = [
    ...(isJson ? ["Alt"] : []),
    ...(isMessage ? ["Fields"] : []),
    ...(isJson && !isStream ? ["PrettyPrint"] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
