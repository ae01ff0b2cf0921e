import type { JsonValue } from "@bufbuild/protobuf";
import type { HttpBinding } from "../transcoding/http-rule.js";
import { type BindingGroup, selectorParameters } from "../transcoding/selection.js";
import { mediaTypesOf } from "./error-responses.js";
import { exampleOf, examplesBy, exampleValue, type Scenario } from "./example.js";
import { fieldSurface } from "./field-surface.js";
import { exemplify, type MediaType, type RequestBody, type Schema } from "./open-api.js";
import { jsonProperties, textProperties } from "./request-parameters.js";
import { objectSchema, type Property, type Schemas } from "./schemas.js";

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
    return { required: fieldSurface(field).required, content: { "application/json": content } };
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
