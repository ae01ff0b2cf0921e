import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { hasOwnForm, isWrittenAsText } from "../codec/well-known-types.js";
import { type FieldPath, jsonPath, protoPath, resolveFieldPath } from "../rules/field-path.js";
import type { HttpBinding } from "../rules/http-rule.js";
import { type BindingGroup, selectorParameters } from "../rules/method-selection.js";
import type { OpenApiPath, PathWildcard } from "./document.js";
import { exampleOf, examplesBy, exampleValue, type Scenario } from "./example.js";
import { fieldDocs } from "./field-docs.js";
import { exemplify, type MediaType, type Parameter, type RequestBody, type Schema } from "./open-api.js";
import { mediaTypesOf } from "./responses.js";
import { describedBy, objectSchema, type Property, type Schemas } from "./schemas.js";

/** The parameters of an operation: those in the path, and those in the query where it has them. */
export function operationParameters(
  group: BindingGroup,
  path: OpenApiPath,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): Parameter[] {
  const inPath = path.wildcards.map((wildcard) => pathParameter(group, wildcard, scenarios, schemas));
  return [...inPath, ...queryParameters(group, scenarios, schemas)];
}

function pathParameter(
  [binding]: BindingGroup,
  { name, fieldPath, fieldValue, position, spansRest }: PathWildcard,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): Parameter {
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
  const segments = (field === undefined ? "" : fieldDocs(field).example).split("/");
  const example = spansRest ? segments.slice(position).join("/") : (segments[position] ?? "");
  return {
    name,
    in: "path",
    required: true,
    ...describedBy(sentences.filter((text) => text !== "").join(" ")),
    schema,
    ...exemplify(examplesBy(scenarios, () => (example === "" ? undefined : example))),
  };
}

/** The query: where the body is no object with the parameters in it, all that the path does not have. */
function queryParameters(group: BindingGroup, scenarios: readonly Scenario[], schemas: Schemas): Parameter[] {
  const inQuery = group.map((binding) => ({
    binding,
    properties: binding.body.kind === "message" && !binding.body.raw ? [] : textProperties(binding, schemas),
  }));
  const names = [...new Set(inQuery.flatMap(({ properties }) => properties.map(({ name }) => name)))];
  return names.map((name) => {
    const found = inQuery.flatMap(({ properties }) => properties.filter((each) => each.name === name));
    const { description, ...schema } = mergedSchema(found);
    const sentences = [description ?? "", group.length > 1 ? selectionText(group, name) : ""];
    const examples = examplesBy(scenarios, (scenario) => textExample(scenario, name));
    return {
      name,
      in: "query",
      required: found.length === group.length && found.every(({ required }) => required),
      ...describedBy(sentences.filter((text) => text !== "").join(" ")),
      schema,
      ...exemplify(examples),
    };
  });
}

/** One schema for what several methods take under one name. */
function mergedSchema(properties: readonly Property[]): Schema {
  const schemas = [...new Map(properties.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
  const [first = {}, ...others] = schemas;
  if (others.length === 0) {
    return first;
  }
  const values = schemas.flatMap(({ const: value }) => (value === undefined ? [] : [value]));
  return values.length === schemas.length ? { type: "string", enum: values } : { anyOf: schemas };
}

/** Which method a parameter selects, where it selects one. */
function selectionText(group: BindingGroup, name: string): string {
  return group
    .flatMap(({ method, surface }) =>
      surface.select
        .filter(({ parameter }) => parameter === name)
        .map(({ condition }) => {
          const when =
            condition.case === "equals"
              ? `\`${condition.value}\``
              : condition.value === true
                ? "Given"
                : "Not given";
          return `${when}: ${method.name}.`;
        }),
    )
    .join(" ");
}

/** What a scenario has in the query under a name: a parameter of the surface, or a field (of a field). */
function textExample({ binding, surface }: Scenario, name: string): JsonValue | undefined {
  if (surface[name] !== undefined) {
    return surface[name];
  }
  let value: JsonValue | undefined = exampleOf(binding.method.input, "request");
  for (const step of name.split(".")) {
    value = typeof value === "object" && value !== null && !Array.isArray(value) ? value[step] : undefined;
  }
  return value;
}

/** The parameters of a binding as the members of a JSON object: those of the HTTP surface, and the fields. */
export function jsonProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const fields = freeFields(binding).map((field) => schemas.propertyOf(field, "request"));
  return withSurface(binding, fields);
}

/** The parameters of a binding as the names and values of a query or a form; fields of fields with dots. */
export function textProperties(binding: HttpBinding, schemas: Schemas): Property[] {
  const inPath = new Set(binding.template.variables.map(({ fieldPath }) => fieldPath));
  const fields = freeFields(binding)
    .flatMap((field) => leaves(field, []))
    .filter((path) => !inPath.has(protoPath(path)))
    .map((path): Property => {
      const leaf = path.at(-1);
      const isRequired = path.every((field) => fieldDocs(field).required);
      return {
        name: jsonPath(path),
        required: isRequired,
        schema: leaf === undefined ? {} : schemas.ofField(leaf, "request"),
      };
    });
  return withSurface(binding, fields);
}

/** The fields that neither the path nor a field's body has. */
function freeFields({ method, template, body }: HttpBinding): DescField[] {
  const bound = new Set(template.variables.map(({ fieldPath }) => fieldPath));
  return method.input.fields.filter(
    (field) => !bound.has(field.name) && !(body.kind === "field" && body.field === field),
  );
}

/** What of a field can be written as text: itself, or fields of the message that it is. Recursion ends it. */
function leaves(field: DescField, parents: FieldPath): FieldPath[] {
  const path = [...parents, field];
  if (field.fieldKind === "map") {
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

/** Adds the parameters of selectors and of the representation; a selector narrows what a field says. */
function withSurface({ surface }: HttpBinding, fields: readonly Property[]): Property[] {
  const properties = new Map<string, Property>();
  const absent = new Set<string>();
  for (const { parameter, condition } of surface.select) {
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
  const { representation } = surface;
  if (representation !== undefined) {
    const values = representation.choices.map(({ value }) => value);
    const [first = ""] = values;
    const description = `How the answer is written. Default: \`${first}\`.`;
    properties.set(representation.parameter, {
      name: representation.parameter,
      required: false,
      schema: { type: "string", enum: values, default: first, description },
    });
  }
  return [...properties.values()];
}

/** The body of an operation's requests; undefined where there is none. */
export function requestBody(
  group: BindingGroup,
  scenarios: readonly Scenario[],
  schemas: Schemas,
): RequestBody | undefined {
  const [first] = group;
  if (first === undefined || first.body.kind === "none") {
    return undefined;
  }
  if (first.body.raw) {
    return { required: false, content: { "*/*": {} } };
  }
  if (first.body.kind === "field") {
    const { field } = first.body;
    const example = exampleValue(field, "request", [first.method.input]);
    const examples = exemplify(examplesBy(scenarios, () => example));
    const content = { schema: schemas.ofField(field, "request"), ...examples };
    return { required: fieldDocs(field).required, content: { "application/json": content } };
  }
  const objects = group.map((binding) => parameterObjects(binding, schemas));
  const examples = exemplify(examplesBy(scenarios, bodyExample));
  const mediaType = (schemasOfBindings: readonly Schema[]): MediaType => ({
    schema: oneOf(group, schemasOfBindings),
    ...examples,
  });
  const json = mediaType(objects.map(({ json }) => json));
  const form = mediaType(objects.map(({ form }) => form));
  const contents = mediaTypesOf(group).map(
    (type) => [type, type === "application/json" ? json : form] as const,
  );
  return {
    required: !first.surface.parametersAnywhere && objects.every(({ isDemanding }) => isDemanding),
    content: Object.fromEntries(contents),
  };
}

interface ParameterObjects {
  readonly json: Schema;
  readonly form: Schema;
  /** Whether something must be in it. */
  readonly isDemanding: boolean;
}

/** The parameters of a binding as an object in JSON and as a form, which are the same where nothing is nested. */
function parameterObjects(binding: HttpBinding, schemas: Schemas): ParameterObjects {
  const { method, surface, template } = binding;
  const properties = jsonProperties(binding, schemas);
  const isDemanding = properties.some(({ required }) => required);
  const isMessage = surface.select.length === 0 && surface.representation === undefined;
  const json =
    isMessage && template.variables.length === 0
      ? schemas.ofMessage(method.input, "request")
      : schemas.define(`${method.name}Body`, objectSchema(properties));
  if (!surface.parametersAnywhere) {
    return { json, form: json, isDemanding };
  }
  const fields = textProperties(binding, schemas);
  const form = sameProperties(properties, fields)
    ? json
    : schemas.define(`${method.name}Form`, objectSchema(fields));
  return { json, form, isDemanding };
}

function sameProperties(a: readonly Property[], b: readonly Property[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What a group of bindings takes: one of several objects, which a parameter tells apart where one does so alone. */
function oneOf(group: BindingGroup, schemas: readonly Schema[]): Schema {
  const [first = {}, ...others] = schemas;
  if (others.length === 0) {
    return first;
  }
  const discriminating = selectorParameters(group).find((parameter) => {
    const values = group.flatMap((binding) => selectedValue(binding, parameter));
    return new Set(values).size === group.length;
  });
  if (discriminating === undefined) {
    return { oneOf: schemas };
  }
  const mapping = group.flatMap((binding, index) =>
    selectedValue(binding, discriminating).map((value) => [value, schemas[index]?.$ref ?? ""] as const),
  );
  return {
    oneOf: schemas,
    discriminator: { propertyName: discriminating, mapping: Object.fromEntries(mapping) },
  };
}

function selectedValue({ surface }: HttpBinding, name: string): string[] {
  return surface.select.flatMap(({ parameter, condition }) =>
    parameter === name && condition.case === "equals" ? [condition.value] : [],
  );
}

function bodyExample({ binding: { method, template }, surface }: Scenario): JsonValue {
  const bound = new Set(template.variables.map(({ fieldPath }) => fieldPath));
  const names = method.input.fields.filter(({ name }) => !bound.has(name)).map(({ jsonName }) => jsonName);
  const members = Object.entries(exampleOf(method.input, "request"));
  return { ...surface, ...Object.fromEntries(members.filter(([name]) => names.includes(name))) };
}
