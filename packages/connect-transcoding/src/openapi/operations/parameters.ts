import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { JsonForm } from "../../codec/json/form.js";
import { type FieldPath, jsonPath, protoPath, resolveFieldPath } from "../../codec/message-field.js";
import { hasOwnForm, isWrittenAsText } from "../../codec/value-parser.js";
import { fieldDocsOf } from "../../proto-options.js";
import { entityTagField } from "../../routes/binding/entity-tag-field.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import { type HttpBinding, isFree, parameterFields, pathFields } from "../../routes/rules/http-rule.js";
import { joinTexts } from "../comments.js";
import { fieldNameIn, jsonOf } from "../documentation.js";
import { exampleOf, examplesOf, type Scenario } from "../examples.js";
import type { OperationParameter, Schema } from "../open-api.js";
import { isAlwaysRequired, isIn, isRequired } from "../schemas/google-annotations.js";
import { describedBy, distinct, type Property } from "../schemas/object-schemas.js";
import type { Schemas } from "../schemas/schemas.js";
import type { OpenApiPath, PathWildcard } from "./path.js";

/** The parameters of an operation: those in the path, those in the query, and the header `If-Match` if it fills a field. */
export function operationParameters(
  group: BindingGroup,
  path: OpenApiPath,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): OperationParameter[] {
  const inPath = path.wildcards.map((wildcard) => pathParameter(group, wildcard, scenarios, schemas));
  return [...inPath, ...queryParameters(group, scenarios, schemas), ...ifMatchOf(group)];
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
    field === undefined || !isWhole ? { type: "string" } : textSchema(schemas.ofField(field, "request"));
  const sentences = [
    description ?? "",
    fieldPath === undefined || isWhole ? "" : `Part of \`${fieldPath}\`, which is \`${fieldValue}\`.`,
    spansRest ? "It can have several segments; the slashes between them are not percent-encoded." : "",
  ];
  const segments = (field === undefined ? "" : fieldDocsOf(field).example).split("/");
  const text = segments.slice(...range).join("/");
  const example = field === undefined || text === "" || !isWhole ? text : jsonOf(field, text, schemas.json);
  return {
    name,
    in: "path",
    required: true,
    ...describedBy(joinTexts(sentences, " ")),
    schema,
    ...examplesOf(scenarios, () => (example === "" ? undefined : example)),
  };
}

function ifMatchOf(group: BindingGroup): OperationParameter[] {
  const field = group.map(entityTagField).find((each) => each !== undefined);
  const description = `The entity tag in the field \`${field}\`, with its quotes: the method fails if the resource has another one.`;
  return field === undefined
    ? []
    : [{ name: "If-Match", in: "header", required: false, description, schema: { type: "string" } }];
}

/** The query parameters: all that are not in the path, unless they are in the body. */
function queryParameters(
  group: BindingGroup,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): OperationParameter[] {
  const inQuery = group.map((binding) => ({ binding, properties: queryProperties(binding, schemas) }));
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
      ...(schema.type === "object" ? ({ style: "deepObject", explode: true } as const) : {}),
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
  const bound = pathFields(binding);
  const example = exampleOf(binding.method.input, "request", json, (path) => remains(path, bound));
  let value: JsonValue | undefined = example;
  for (const step of name.split(".")) {
    value = typeof value === "object" && value !== null && !Array.isArray(value) ? value[step] : undefined;
  }
  // Text has no null.
  return value === null ? NULL : value;
}

/** The parameters of a binding as members of a JSON object. */
export function jsonProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const bound = pathFields(binding);
  const fields = parameterFields(binding).flatMap((field) =>
    freeProperty([field], bound, schemas, { keeps: false, isUpdate: false }),
  );
  return withControls(binding, fields);
}

/**
 * A field as a property of a body, without what the path sets in it; none if nothing remains of it. `isUpdate`: the body is a field of a
 * `PATCH`, which can omit what is only required by `field_behavior`. `keeps`: what the path sets remains, as optional.
 */
export function freeProperty(
  path: FieldPath,
  bound: readonly FieldPath[],
  schemas: Schemas,
  { keeps, isUpdate }: { readonly keeps: boolean; readonly isUpdate: boolean },
): Property[] {
  const field = path.at(-1);
  const isBound = bound.some((each) => protoPath(each) === protoPath(path));
  if (
    field === undefined ||
    !isIn(field, "request") ||
    !(keeps ? isBound || isFree(path, bound) : remains(path, bound))
  ) {
    return [];
  }
  const required = !isBound && (isUpdate ? isAlwaysRequired : isRequired)(field, "request", schemas.json);
  if (field.message === undefined || !bound.some((each) => contains(path, each))) {
    return [{ ...schemas.propertyOf(field, "request"), required }];
  }
  const inner = field.message.fields.flatMap((each) =>
    freeProperty([...path, each], bound, schemas, { keeps, isUpdate }),
  );
  const property = {
    name: fieldNameIn(field, schemas.json),
    // What the path sets is present without the property.
    required: required && inner.some((each) => each.required),
    schema: schemas.ofField(field, "request", schemas.ofParameters(inner)),
  };
  return [property];
}

/** Whether anything of a field is free for the body. */
export function remains(path: FieldPath, bound: readonly FieldPath[]): boolean {
  const fields = path.at(-1)?.message?.fields;
  return (
    isFree(path, bound) &&
    (fields === undefined ||
      !bound.some((each) => contains(path, each)) ||
      fields.some((field) => remains([...path, field], bound)))
  );
}

/** Whether a path is around another one. */
function contains(outer: FieldPath, inner: FieldPath): boolean {
  return outer.length < inner.length && outer.every((field, index) => field === inner[index]);
}

/** The parameters of a binding in a query or a form, with dotted names for nested fields. */
export function textProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const bound = pathFields(binding);
  const fields = parameterFields(binding)
    .flatMap((field) => leaves(field, [], schemas.mapParameters))
    .filter((path) => isFree(path, bound))
    .map((path): Property => {
      const leaf = path.at(-1);
      return {
        name: schemas.json.fieldNames === "proto" ? protoPath(path) : jsonPath(path),
        required: path.every((field) => isRequired(field, "request", schemas.json)),
        schema: leaf === undefined ? {} : textSchema(schemas.ofField(leaf, "request")),
      };
    });
  return withControls(binding, fields);
}

/** The name of the value of `google.protobuf.NullValue`. */
const NULL = "NULL_VALUE";

/** The schema of a value in a path or a query. Text has no null: the only value of `google.protobuf.NullValue` has a name there. */
function textSchema(schema: Schema): Schema {
  const { type, items, additionalProperties, anyOf } = schema;
  if (type === "null") {
    return { ...schema, type: "string", enum: [NULL] };
  }
  const [first, ...others] = Array.isArray(type) ? type.filter((each) => each !== "null") : [];
  return {
    ...schema,
    ...(first === undefined ? {} : { type: others.length === 0 ? first : [first, ...others] }),
    ...(items === undefined ? {} : { items: textSchema(items) }),
    ...(additionalProperties ? { additionalProperties: textSchema(additionalProperties) } : {}),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.filter((each) => each.type !== "null") }),
  };
}

/** The paths of all fields with a text form in a field, without recursive and `OUTPUT_ONLY` ones. */
function leaves(field: DescField, parents: FieldPath, mapParameters: boolean): FieldPath[] {
  const path = [...parents, field];
  if ((field.fieldKind === "map" && !mapParameters) || !isIn(field, "request")) {
    return [];
  }
  if (field.message === undefined || isWrittenAsText(field.message)) {
    return [path];
  }
  const { message } = field;
  const isRecursive = path
    .slice(0, -1)
    .some((parent) => parent.message === message || parent.parent === message);
  return field.fieldKind !== "message" || isRecursive || hasOwnForm(message)
    ? []
    : message.fields.flatMap((each) => leaves(each, path, mapParameters));
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
    const description = `The format of the response. Default: what \`Accept\` prefers, or else \`${first}\`.`;
    properties.set(representation.parameter, {
      name: representation.parameter,
      required: false,
      schema: { type: "string", enum: values, default: first, description },
    });
  }
  return [...properties.values()];
}
