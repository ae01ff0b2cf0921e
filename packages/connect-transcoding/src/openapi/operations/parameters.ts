import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { JsonForm } from "../../codec/json/form.js";
import { type FieldPath, jsonPath, protoPath, resolveFieldPath } from "../../codec/message-field.js";
import { hasOwnForm, isWrittenAsText } from "../../codec/value-parser.js";
import { fieldDocsOf } from "../../proto-options.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import { type HttpBinding, parameterFields } from "../../routes/rules/http-rule.js";
import { joinTexts } from "../comments.js";
import { exampleOf, examplesOf, type Scenario } from "../documentation.js";
import type { OperationParameter, Schema } from "../open-api.js";
import { isIn, isRequired } from "../schemas/google-annotations.js";
import { describedBy, distinct, type Property } from "../schemas/object-schemas.js";
import type { Schemas } from "../schemas/schemas.js";
import type { OpenApiPath, PathWildcard } from "./path.js";

/** The parameters of an operation: those in the path, then those in the query. */
export function operationParameters(
  group: BindingGroup,
  path: OpenApiPath,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): OperationParameter[] {
  const inPath = path.wildcards.map((wildcard) => pathParameter(group, wildcard, scenarios, schemas));
  return [...inPath, ...queryParameters(group, scenarios, schemas)];
}

function pathParameter(
  [binding]: BindingGroup,
  { name, fieldPath, fieldValue, range, spansRest }: PathWildcard,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): OperationParameter {
  const field =
    fieldPath === undefined || binding === undefined
      ? undefined
      : resolveFieldPath(binding.method.input, fieldPath)?.at(-1);
  const isWhole = fieldValue === `{${name}}`;
  const { description, ...schema }: Schema =
    field === undefined || !isWhole ? { type: "string" } : schemas.ofField(field, "request");
  const sentences = [
    description ?? "",
    fieldPath === undefined || isWhole ? "" : `Part of \`${fieldPath}\`, which is \`${fieldValue}\`.`,
    spansRest ? "It can have several segments; the slashes between them are not percent-encoded." : "",
  ];
  const segments = (field === undefined ? "" : fieldDocsOf(field).example).split("/");
  const example = segments.slice(...range).join("/");
  return {
    name,
    in: "path",
    required: true,
    ...describedBy(joinTexts(sentences, " ")),
    schema,
    ...examplesOf(scenarios, () => (example === "" ? undefined : example)),
  };
}

/** The query parameters: all that are not in the path, unless they are in the body. */
function queryParameters(
  group: BindingGroup,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): OperationParameter[] {
  const inQuery = group.map((binding) => ({
    binding,
    properties: queryProperties(binding, schemas),
  }));
  const names = [...new Set(inQuery.flatMap(({ properties }) => properties.map(({ name }) => name)))];
  return names.map((name) => {
    const found = inQuery.flatMap(({ properties }) => properties.filter((each) => each.name === name));
    const { description = "", deprecated, ...schema } = mergedSchema(found);
    const required = found.length === group.length && found.every((each) => each.required);
    const sentences = [
      // What one method requires is optional if another method does not have it.
      required ? description : description.replace(/^Required\. /, ""),
      group.length > 1 ? selectionText(group, name) : "",
    ];
    return {
      name,
      in: "query",
      required,
      ...describedBy(joinTexts(sentences, " ")),
      ...(deprecated === undefined ? {} : { deprecated }),
      schema,
      ...examplesOf(scenarios, (scenario) => textExample(scenario, name, schemas.json)),
    };
  });
}

function queryProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  switch (binding.body.kind) {
    case "message":
      return [];
    case "value":
      return withControls(binding, []);
    default:
      return textProperties(binding, schemas);
  }
}

/** One schema for the parameters of several methods with the same name. */
function mergedSchema(properties: readonly Property[]): Schema {
  const schemas = distinct(properties.map(({ schema }) => schema));
  const [first = {}, ...others] = schemas;
  if (others.length === 0) {
    return first;
  }
  const values = schemas.flatMap(({ const: value }) => (value === undefined ? [] : [value]));
  return values.length === schemas.length ? { type: "string", enum: values } : { anyOf: schemas };
}

/** The methods that a parameter selects, in words; empty for none. */
function selectionText(group: BindingGroup, name: string): string {
  return group
    .flatMap(({ method, options }) =>
      options.select
        .filter(({ parameter }) => parameter === name)
        .map(({ condition }) => {
          const when =
            condition.case === "equals"
              ? `\`${condition.value}\``
              : condition.value === true
                ? "Present"
                : "Absent";
          return `${when}: ${method.name}.`;
        }),
    )
    .join(" ");
}

/** The query parameter of a scenario: one that selects the method or representation, or a field. */
function textExample({ binding, controls }: Scenario, name: string, json: JsonForm): JsonValue | undefined {
  if (controls[name] !== undefined) {
    return controls[name];
  }
  let value: JsonValue | undefined = exampleOf(binding.method.input, "request", json);
  for (const step of name.split(".")) {
    value = typeof value === "object" && value !== null && !Array.isArray(value) ? value[step] : undefined;
  }
  return value;
}

/** The parameters of a binding as members of a JSON object. */
export function jsonProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const fields = parameterFields(binding)
    .filter((field) => isIn(field, "request"))
    .map((field) => schemas.propertyOf(field, "request"));
  return withControls(binding, fields);
}

/** The parameters of a binding in a query or a form, with dotted names for nested fields. */
export function textProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const inPath = new Set(binding.template.variables.map(({ fieldPath }) => fieldPath));
  const fields = parameterFields(binding)
    .flatMap((field) => leaves(field, []))
    .filter((path) => !inPath.has(protoPath(path)))
    .map((path): Property => {
      const leaf = path.at(-1);
      return {
        name: schemas.json.fieldNames === "proto" ? protoPath(path) : jsonPath(path),
        required: path.every((field) => isRequired(field, "request", schemas.json)),
        schema: leaf === undefined ? {} : schemas.ofField(leaf, "request"),
      };
    });
  return withControls(binding, fields);
}

/** The paths of all fields with a text form in a field, without recursive and `OUTPUT_ONLY` ones. */
function leaves(field: DescField, parents: FieldPath): FieldPath[] {
  const path = [...parents, field];
  if (field.fieldKind === "map" || !isIn(field, "request")) {
    return [];
  }
  if (field.message === undefined || isWrittenAsText(field.message)) {
    return [path];
  }
  const { message } = field;
  const isRecursive = path
    .slice(0, -1)
    .some((parent) => parent.message === message || parent.parent === message);
  return field.fieldKind === "list" || isRecursive || hasOwnForm(message)
    ? []
    : message.fields.flatMap((each) => leaves(each, path));
}

/** Adds the parameters of selectors and the representation. A selector narrows the schema of a field of the same name. */
function withControls({ options }: HttpBinding, fields: readonly Property[]): Property[] {
  const properties = new Map<string, Property>();
  const absent = new Set<string>();
  for (const { parameter, condition } of options.select) {
    const field = fields.find(({ name }) => name === parameter);
    const schema = field?.schema ?? { type: "string" };
    if (condition.case === "equals") {
      properties.set(parameter, {
        name: parameter,
        required: true,
        schema: { ...schema, const: condition.value },
      });
    } else if (condition.value === true) {
      properties.set(parameter, { name: parameter, required: true, schema });
    } else {
      absent.add(parameter);
    }
  }
  for (const field of fields) {
    if (!properties.has(field.name) && !absent.has(field.name)) {
      properties.set(field.name, field);
    }
  }
  const { representation } = options;
  if (representation !== undefined) {
    const values = representation.choices.map(({ value }) => value);
    const [first = ""] = values;
    const description = `The format of the response. Default: \`${first}\`.`;
    properties.set(representation.parameter, {
      name: representation.parameter,
      required: false,
      schema: { type: "string", enum: values, default: first, description },
    });
  }
  return [...properties.values()];
}
