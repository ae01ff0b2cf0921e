import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { JsonForm } from "../../codec/json/form.js";
import type { FieldPath } from "../../codec/message-field.js";
import { REQUEST_STREAM_TYPES } from "../../routes/binding/message-stream.js";
import { type BindingGroup, selectorParameters } from "../../routes/rules/binding-group.js";
import { type HttpBinding, pathFields, takesStream } from "../../routes/rules/http-rule.js";
import { excludeEachOther } from "../../routes/rules/path-variables.js";
import { exampleOf, examplesOf, exampleValue, type Scenario } from "../examples.js";
import type { MediaType, RequestBody, Schema } from "../open-api.js";
import { isRequired } from "../schemas/google-annotations.js";
import type { Schemas } from "../schemas/schemas.js";
import { freeProperty, jsonProperties, remains } from "./parameters.js";

/**
 * The request body of an operation; undefined without one. `name` is the name of the operation in those of components. With
 * `parameters_anywhere`, it has no form: generated clients would have a second function for it.
 */
export function requestBody(
  group: BindingGroup,
  name: string,
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
  if (first.body.kind === "value") {
    const schema = schemas.ofMessage(first.method.input, "request");
    return { required: false, content: { "application/json": { schema } } };
  }
  if (first.body.kind === "field") {
    const { field } = first.body;
    const bound = pathFields(first);
    const isShown = (path: FieldPath) => !bound.some((each) => excludeEachOther(each, path));
    const example = exampleValue([field], "request", schemas.json, isShown);
    const schema = fieldSchema(first, field, schemas);
    const required = isRequired(field, "request", schemas.json) && !takesStream(first.method);
    return { required, content: jsonContent(first, schema, scenarios, () => example) };
  }
  const bodies = group.map((binding) => bodyOf(binding, schemas));
  const schema = unionOf(
    group,
    bodies.map((body) => body.schema),
    `${name}Body`,
    schemas,
  );
  return {
    required: bodies.every(({ isRequired }) => isRequired) && !takesStream(first.method),
    content: jsonContent(first, schema, scenarios, (scenario) => bodyExample(scenario, schemas.json)),
  };
}

/** The schema of a body that is a field. It does not require what the path sets in it. */
function fieldSchema(binding: HttpBinding, field: DescField, schemas: Schemas): Schema {
  const isUpdate = binding.httpMethod === "PATCH";
  const bound = pathFields(binding).filter(([first, ...inner]) => first === field && inner.length > 0);
  const isContradicted = bound.some(([, ...inner]) =>
    inner.some((each, index) => {
      const isLast = index === inner.length - 1;
      return each.oneof !== undefined || (isLast && isRequired(each, "request", schemas.json));
    }),
  );
  if (isContradicted) {
    const [property] = freeProperty([field], bound, schemas, { keeps: true, isUpdate });
    return property?.schema ?? {};
  }
  return isUpdate && field.fieldKind === "message"
    ? schemas.ofField(field, "request", schemas.ofUpdate(field.message))
    : schemas.ofField(field, "request");
}

/** The media types of a JSON body. A stream of messages has one per line, or is an array of them. */
function jsonContent(
  binding: HttpBinding,
  schema: Schema,
  scenarios: readonly Scenario[],
  example: (scenario: Scenario) => JsonValue | undefined,
): RequestBody["content"] {
  const one: MediaType = { schema, ...examplesOf(scenarios, example) };
  if (!takesStream(binding.method)) {
    return { "application/json": one };
  }
  const array: MediaType = {
    schema: { type: "array", items: schema },
    ...examplesOf(scenarios, (scenario) => [example(scenario) ?? null]),
  };
  return Object.fromEntries(
    REQUEST_STREAM_TYPES.map((type) => [type, type === "application/json" ? array : one]),
  );
}

/** The schema of the JSON body of a binding, and whether a parameter in it is required. */
function bodyOf(
  binding: HttpBinding,
  schemas: Schemas,
): { readonly schema: Schema; readonly isRequired: boolean } {
  const { method, options, template } = binding;
  const properties = jsonProperties(binding, schemas);
  const isMessage = options.select.length === 0 && options.representation === undefined;
  const schema =
    isMessage && template.variables.length === 0
      ? schemas.ofMessage(method.input, "request")
      : schemas.define(`${method.name}Body`, schemas.ofParameters(properties));
  return { schema, isRequired: properties.some(({ required }) => required) };
}

/**
 * The schema of the body of a group. That of several methods is a component: `oneOf`, with a `discriminator` if one parameter
 * alone selects the method.
 */
function unionOf(group: BindingGroup, bodies: readonly Schema[], name: string, schemas: Schemas): Schema {
  const [first = {}, ...others] = bodies;
  if (others.length === 0) {
    return first;
  }
  const discriminating = selectorParameters(group).find((parameter) => {
    const values = group.flatMap((binding) => selectedValue(binding, parameter));
    return new Set(values).size === group.length;
  });
  if (discriminating === undefined) {
    return schemas.define(name, { oneOf: bodies });
  }
  const mapping = group.flatMap((binding, index) =>
    selectedValue(binding, discriminating).map((value) => [value, bodies[index]?.$ref ?? ""] as const),
  );
  return schemas.define(name, {
    oneOf: bodies,
    discriminator: { propertyName: discriminating, mapping: Object.fromEntries(mapping) },
  });
}

function selectedValue({ options }: HttpBinding, name: string): string[] {
  return options.select.flatMap(({ parameter, condition }) =>
    parameter === name && condition.case === "equals" ? [condition.value] : [],
  );
}

function bodyExample({ binding, controls }: Scenario, json: JsonForm): JsonValue | undefined {
  const bound = pathFields(binding);
  const members = exampleOf(binding.method.input, "request", json, (path) => remains(path, bound));
  return members && { ...controls, ...members };
}

/** The media types that the requests of a group can have. */
export function mediaTypesOf([binding]: BindingGroup): string[] {
  if (binding === undefined || binding.body.kind === "none") {
    return [];
  }
  if (binding.body.raw) {
    return ["*/*"];
  }
  if (takesStream(binding.method)) {
    return [...REQUEST_STREAM_TYPES];
  }
  return binding.options.parametersAnywhere
    ? ["application/json", "application/x-www-form-urlencoded"]
    : ["application/json"];
}
