import type { JsonValue } from "@bufbuild/protobuf";
import { resolveFieldPath } from "../transcoding/field-path.js";
import type { BindingGroup } from "../transcoding/selection.js";
import { exampleOf, examplesBy, type Scenario } from "./example.js";
import { fieldSurface } from "./field-surface.js";
import { exemplify, type Parameter, type Schema } from "./open-api.js";
import type { OpenApiPath, PathWildcard } from "./path.js";
import { textProperties } from "./request-parameters.js";
import type { Property, Schemas } from "./schemas.js";
import { describedBy } from "./value-schema.js";

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
  const segments = (field === undefined ? "" : fieldSurface(field).example).split("/");
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
