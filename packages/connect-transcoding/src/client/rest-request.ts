import {
  type DescField,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { type HttpBinding, httpBodyReader, methodName, takesStream } from "../routes/rules/http-rule.js";
import { choiceParameters, parameterText } from "../routes/rules/parameter-texts.js";
import { writePath } from "../routes/rules/path-text.js";

/** A request over HTTP. */
export interface RestRequest {
  readonly binding: HttpBinding;
  readonly httpMethod: string;
  /** Path and query, percent-encoded, with a leading slash. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Encodes the messages of a request by the first binding whose path has a place for them. A stream of messages is an array in one body.
 * Throws a ConnectError if no binding does: a field of the path is empty, or does not match its template.
 */
export function encodeRequest(
  method: DescMethod,
  bindings: readonly HttpBinding[],
  messages: readonly Message[],
  registry: Registry,
): RestRequest {
  const json = messages.map((message) => toJson(method.input, message, { registry }) as JsonObject);
  const [first = {}] = json;
  for (const binding of bindings) {
    const path = writePath(binding.template, (fieldPath) => textAt(method, first, fieldPath));
    if (path !== undefined) {
      return {
        binding,
        httpMethod: httpMethodOf(binding),
        ...contentOf(binding, messages, json),
        target: path + queryOf(binding, first),
      };
    }
  }
  const paths = bindings.map(({ httpMethod, template }) => `${httpMethod} ${template.source}`).join(", ");
  const problem = paths === "" ? "has no google.api.http rule" : `has fields that match no path of ${paths}`;
  throw new ConnectError(
    `${methodName(method)} ${problem}`,
    paths === "" ? Code.Unimplemented : Code.InvalidArgument,
  );
}

/** A rule that accepts every HTTP method is called with POST. */
function httpMethodOf({ httpMethod }: HttpBinding): string {
  return httpMethod === "*" ? "POST" : httpMethod;
}

/** The text of a field by its path in proto names; undefined if it is not set. */
function textAt({ input }: DescMethod, json: JsonObject, path: string): string | undefined {
  let value: JsonValue | undefined = json;
  let field: DescField | undefined;
  let fields: readonly DescField[] = input.fields;
  for (const name of path.split(".")) {
    field = fields.find((each) => each.name === name);
    value = isObject(value) && field !== undefined ? value[field.jsonName] : undefined;
    fields = field?.message?.fields ?? [];
  }
  return field === undefined || value === undefined || value === null || typeof value === "object"
    ? undefined
    : parameterText(field, value);
}

function queryOf({ body, method, template, options }: HttpBinding, json: JsonObject): string {
  if (body.kind === "message" || body.kind === "value") {
    return format(choiceParameters(options));
  }
  const inPath = new Set(template.variables.map(({ fieldPath }) => fieldPath));
  const inQuery = method.input.fields.filter((field) => !(body.kind === "field" && body.field === field));
  return format([
    ...choiceParameters(options),
    ...inQuery.flatMap((field) => parametersOf(field, json[field.jsonName], [], inPath)),
  ]);
}

function format(parameters: readonly (readonly [string, string])[]): string {
  return parameters.length === 0
    ? ""
    : `?${new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))}`;
}

/** A field as query parameters: nested fields with dots, list elements one by one. Throws a ConnectError for a map or a list of messages. */
function parametersOf(
  field: DescField,
  value: JsonValue | undefined,
  parents: readonly DescField[],
  inPath: ReadonlySet<string>,
): [string, string][] {
  const path = [...parents, field];
  const name = path.map((each) => each.jsonName).join(".");
  if (value === undefined || value === null || inPath.has(path.map((each) => each.name).join("."))) {
    return [];
  }
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return value.map((each) => [name, parameterText(field, each)]);
  }
  if (typeof value !== "object") {
    return [[name, parameterText(field, value)]];
  }
  if (
    !isObject(value) ||
    field.fieldKind !== "message" ||
    field.message.typeName.startsWith("google.protobuf.")
  ) {
    throw new ConnectError(`the field ${name} cannot be in a query`, Code.InvalidArgument);
  }
  return field.message.fields.flatMap((each) => parametersOf(each, value[each.jsonName], path, inPath));
}

function contentOf(
  { body, method }: HttpBinding,
  messages: readonly Message[],
  json: readonly JsonObject[],
): Pick<RestRequest, "body" | "contentType"> {
  const [message] = messages;
  if (body.kind === "none" || message === undefined) {
    return takesStream(method)
      ? { contentType: "application/json", body: "[]" }
      : { contentType: undefined, body: undefined };
  }
  if (body.kind !== "value" && body.raw) {
    const read = httpBodyReader(body.kind === "field" ? body.field : undefined);
    const { contentType } = read(message);
    const parts = messages.map((each) => read(each).data);
    return { contentType: contentType || "application/octet-stream", body: joined(parts) };
  }
  const bodies = json.map((each, index) => {
    const source = messages[index];
    const isSet =
      body.kind === "field" && source !== undefined && reflect(method.input, source).isSet(body.field);
    return body.kind === "field" ? (isSet ? each[body.field.jsonName] : {}) : each;
  });
  return { contentType: "application/json", body: JSON.stringify(takesStream(method) ? bodies : bodies[0]) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
