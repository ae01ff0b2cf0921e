import { has, listOf, objectOf, resolve, textIn } from "./json.js";
import { isJson, type ReferenceOperation } from "./model.js";

/** An example of a request. */
export interface ExampleRequest {
  readonly httpMethod: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The media type, and JSON or text. */
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined;
}

/** Returns the request of a call: its own examples, or else what the schemas of required parameters have. */
export function requestExample(
  document: unknown,
  operation: ReferenceOperation,
  call: string,
): ExampleRequest {
  const { httpMethod, parameters, body } = operation;
  let { path } = operation;
  const query: [string, string][] = [];
  const headers: [string, string][] = [];
  for (const parameter of parameters) {
    const name = textIn(parameter.name);
    const value = parameterExample(document, parameter, call);
    if (parameter.in === "path") {
      path = path.replaceAll(`{${name}}`, encodeURIComponent(valueText(value ?? name)));
    } else if (value !== undefined && parameter.in === "query") {
      query.push(...queryPairs(name, value));
    } else if (value !== undefined && parameter.in === "header") {
      headers.push([name, valueText(value)]);
    }
  }
  const content = body && {
    mediaType: body.mediaType,
    value: contentExample(document, body.content, call) ?? (isJson(body.mediaType) ? {} : ""),
  };
  return { httpMethod, path, query, headers, body: content };
}

/** The parameters of a value in the query: one for each element of a list, and for each member of an object (`style: deepObject`). */
function queryPairs(name: string, value: unknown): [name: string, value: string][] {
  if (Array.isArray(value)) {
    return value.map((each) => [name, valueText(each)]);
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([key, each]) => [`${name}[${key}]`, valueText(each)])
    : [[name, valueText(value)]];
}

/** The example of a parameter in a call; undefined for one that is not sent. */
export function parameterExample(
  document: unknown,
  parameter: Readonly<Record<string, unknown>>,
  call: string,
): unknown {
  if (call !== "" && has(parameter.examples, call)) {
    return exampleValue(document, objectOf(parameter.examples)[call]);
  }
  if (call === "" && has(parameter, "example")) {
    return parameter.example;
  }
  return parameter.required === true ? sample(document, parameter.schema) : undefined;
}

/** The example of a body in a call, or a sample of its schema; undefined without both. */
export function contentExample(document: unknown, content: unknown, call: string): unknown {
  const { examples, example, schema } = objectOf(content);
  if (has(examples, call)) {
    return exampleValue(document, objectOf(examples)[call]);
  }
  const [first] = Object.values(objectOf(examples));
  return first !== undefined
    ? exampleValue(document, first)
    : (example ?? (schema === undefined ? undefined : sample(document, schema)));
}

function exampleValue(document: unknown, example: unknown): unknown {
  return resolve(document, example).value;
}

/** The depth of samples: a schema can contain itself. */
const MAX_DEPTH = 5;

/** Returns a value that a schema describes: its example, or one with the required members. */
export function sample(document: unknown, value: unknown, depth = 0): unknown {
  const schema = resolve(document, value);
  for (const known of [
    listOf(schema.examples)[0],
    schema.example,
    schema.default,
    schema.const,
    listOf(schema.enum)[0],
  ]) {
    if (known !== undefined) {
      return known;
    }
  }
  const [alternative] = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  if (alternative !== undefined && depth < MAX_DEPTH) {
    return sample(document, alternative, depth + 1);
  }
  const parts = listOf(schema.allOf);
  if (parts.length > 0 && depth < MAX_DEPTH) {
    const samples = parts.map((part) => sample(document, part, depth + 1));
    return samples.length === 1 ? samples[0] : Object.assign({}, ...samples.map(objectOf));
  }
  const types = typesOf(schema);
  if (types.includes("object") || schema.properties !== undefined) {
    const required = listOf(schema.required);
    const members = Object.entries(objectOf(schema.properties)).filter(([name]) => required.includes(name));
    return depth < MAX_DEPTH
      ? Object.fromEntries(members.map(([name, member]) => [name, sample(document, member, depth + 1)]))
      : {};
  }
  switch (types[0]) {
    case "array":
      return depth < MAX_DEPTH && schema.items !== undefined
        ? [sample(document, schema.items, depth + 1)]
        : [];
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "string";
  }
}

/** The types of a schema. */
export function typesOf(schema: Readonly<Record<string, unknown>>): string[] {
  return (Array.isArray(schema.type) ? schema.type : [schema.type]).map(textIn).filter((each) => each !== "");
}

/** The text of a value in a path, a query or a header. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
