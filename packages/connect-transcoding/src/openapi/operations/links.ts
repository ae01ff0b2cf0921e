import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { JsonForm } from "../../codec/json/form.js";
import { hasOwnForm } from "../../codec/value-parser.js";
import { fieldDocsOf } from "../../proto-options.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import { type HttpBinding, responseBodyOf } from "../../routes/rules/http-rule.js";
import { fieldNameIn } from "../documentation.js";
import type { Link } from "../open-api.js";
import type { Schemas } from "../schemas/schemas.js";
import { jsonProperties, textProperties } from "./parameters.js";
import type { OpenApiPath } from "./path.js";

/** The bindings that share a path and an HTTP method, with the ID of their operation. */
export interface LinkedOperation {
  readonly operationId: string;
  readonly path: OpenApiPath;
  readonly group: BindingGroup;
}

/** Returns the links from the responses of an operation, by name. */
export type Links = (operation: LinkedOperation) => Record<string, Link>;

/**
 * Creates the links between operations: one for each pair of methods where the response of the first has values for all
 * required fields of the second. The `sources` of fields say which values those are.
 * https://spec.openapis.org/oas/v3.1.1.html#link-object
 */
export function createLinks(operations: readonly LinkedOperation[], schemas: Schemas): Links {
  const targets = operations.flatMap(({ operationId, path, group }) =>
    group
      .filter(({ method }) => method.input.fields.some((field) => fieldDocsOf(field).sources.length > 0))
      .map((binding) => ({ operationId, path, binding })),
  );
  return ({ group }) => {
    const links: Record<string, Link> = {};
    for (const source of targets.length === 0 ? [] : group) {
      const expressions = responseExpressions(source, schemas.json);
      for (const { operationId, path, binding } of targets) {
        const link = linkTo(binding, path, expressions, schemas);
        if (link !== undefined) {
          links[`${source.method.name}_${binding.method.name}`] = { operationId, ...link };
        }
      }
    }
    return links;
  };
}

/** Runtime expressions for the fields of a JSON response, by the full names of the fields; the first elements of lists. */
function responseExpressions(
  { method, responseBody, options }: HttpBinding,
  json: JsonForm,
): Map<string, string> {
  const expressions = new Map<string, string>();
  const { kind, field } = responseBodyOf({ method, responseBody });
  if (kind !== "json" || options.representation !== undefined || method.methodKind !== "unary") {
    return expressions;
  }
  const messages = new Map<DescMessage, string>();
  if (field === undefined) {
    messages.set(method.output, "");
  } else {
    addValue(field, "");
  }
  // The iteration includes messages that are added during it. Each is added once, with its shortest path.
  for (const [desc, pointer] of messages) {
    for (const each of hasOwnForm(desc) ? [] : desc.fields) {
      addValue(each, `${pointer}/${fieldNameIn(each, json).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  }
  return expressions;

  function addValue(each: DescField, pointer: string): void {
    if (each.fieldKind === "map") {
      return;
    }
    const element = each.fieldKind === "list" ? `${pointer}/0` : pointer;
    expressions.set(fullName(each), `$response.body#${element}`);
    if (each.message !== undefined && !messages.has(each.message)) {
      messages.set(each.message, element);
    }
  }
}

function fullName({ parent, name }: DescField): string {
  return `${parent.typeName}.${name}`;
}

/** The link to a method; undefined if the response has no value for it, or lacks one that it requires. */
function linkTo(
  target: HttpBinding,
  { wildcards }: OpenApiPath,
  expressions: ReadonlyMap<string, string>,
  schemas: Schemas,
): Omit<Link, "operationId"> | undefined {
  const { input } = target.method;
  const isBody = target.body.kind === "message" && !target.body.raw;
  const inPath = wildcards.map((wildcard) => {
    const field = input.fields.find(({ name }) => name === wildcard.fieldPath);
    const isWhole = wildcard.fieldValue === `{${wildcard.name}}`;
    return { name: wildcard.name, required: true, value: isWhole ? field && sourceOf(field) : undefined };
  });
  const properties = isBody ? jsonProperties(target, schemas) : textProperties(target, schemas);
  const others = properties.map(({ name, required, schema }) => {
    const field = input.fields.find((each) => fieldNameIn(each, schemas.json) === name);
    return { name, required, value: schema.const ?? (field && sourceOf(field)) };
  });
  const isComplete = [...inPath, ...others].every(({ required, value }) => !required || value !== undefined);
  if (
    !isComplete ||
    target.body.kind === "field" ||
    target.body.kind === "value" ||
    !input.fields.some(sourceOf)
  ) {
    return undefined;
  }
  const parameters = valuesOf(isBody ? inPath : [...inPath, ...others]);
  return {
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...(isBody ? { requestBody: valuesOf(others) } : {}),
  };

  function sourceOf(field: DescField): string | undefined {
    const source = fieldDocsOf(field).sources.find((name) => expressions.has(name));
    return source === undefined ? undefined : expressions.get(source);
  }
}

function valuesOf(
  parameters: readonly { readonly name: string; readonly value: JsonValue | undefined }[],
): JsonObject {
  return Object.fromEntries(
    parameters.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}
