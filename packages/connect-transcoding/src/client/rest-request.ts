import {
  create,
  type DescField,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FieldPath, resolveFieldPath } from "../codec/message-field.js";
import { type HttpBinding, httpBodyReader, methodName, takesStream } from "../routes/rules/http-rule.js";
import { defaultText, parameterText, queryParameters } from "../routes/rules/parameter-texts.js";
import type { TemplateSegment } from "../routes/rules/path-template.js";

/** A request over HTTP. */
export interface RestRequest {
  readonly binding: HttpBinding;
  /** Path and query, percent-encoded, with a leading slash. */
  readonly target: string;
  readonly contentType?: string;
  readonly body?: string | Blob;
}

/**
 * Encodes the messages of a request by the first binding that has a place for all fields. A stream of messages is an array in one body.
 * Throws a ConnectError if no binding has: a field of the path is empty or does not match its template, or a field cannot be in a query.
 */
export function encodeRequest(
  method: DescMethod,
  bindings: readonly HttpBinding[],
  messages: readonly Message[],
  registry: Registry,
  mapParameters = false,
): RestRequest {
  if (bindings.length === 0) {
    throw new ConnectError(`${methodName(method)} has no google.api.http rule`, Code.Unimplemented);
  }
  const json = messages.map((message) => toJson(method.input, message, { registry }) as JsonObject);
  const [first = {}] = json;
  let problem: unknown;
  for (const binding of bindings) {
    try {
      const path = writePath(binding, first);
      if (path !== undefined) {
        const query = writeQuery(queryParameters(binding, first, mapParameters));
        const target = query === "" ? path : `${path}?${query}`;
        return { binding, target, ...contentOf(binding, messages, json) };
      }
    } catch (thrown) {
      problem ??= thrown;
    }
  }
  const paths = bindings.map(({ httpMethod, template }) => `${httpMethod} ${template.source}`).join(", ");
  throw (
    problem ??
    new ConnectError(`${methodName(method)} has fields that match no path of ${paths}`, Code.InvalidArgument)
  );
}

/** Throws a ConnectError for half of a surrogate pair, which has no UTF-8. */
function writeQuery(parameters: ReturnType<typeof queryParameters>): string {
  const invalid = parameters.find((pair) => pair.some((text) => /\p{Surrogate}/u.test(text)));
  if (invalid !== undefined) {
    const [name] = invalid[0].split("[");
    throw new ConnectError(`the field ${name} is not Unicode text`, Code.InvalidArgument);
  }
  return String(new URLSearchParams(parameters));
}

function contentOf(
  { body, method }: HttpBinding,
  messages: readonly Message[],
  json: readonly JsonObject[],
): Pick<RestRequest, "body" | "contentType"> {
  if (body.kind === "none") {
    return {};
  }
  const field = body.kind === "field" ? body.field : undefined;
  if (body.raw) {
    const parts = messages.map(httpBodyReader(field));
    return {
      contentType: parts[0]?.contentType || "application/octet-stream",
      body: new Blob(parts.map(({ data }) => new Uint8Array(data))),
    };
  }
  const bodies = json.map((each) => (field === undefined ? each : fieldOf(each, field)));
  if (takesStream(method)) {
    return { contentType: JSON_TYPE, body: JSON.stringify(bodies.map((each = null) => each)) };
  }
  const [only] = bodies;
  // `{}` would set the field. grpc-gateway reads no null there; it, Envoy and our server read no body as an unset field.
  return only === undefined ? {} : { contentType: JSON_TYPE, body: JSON.stringify(only) };
}

const JSON_TYPE = "application/json";

/** The JSON of a field, which may have its default value; undefined if it is not set. */
function fieldOf(json: JsonObject, { parent, jsonName }: DescField): JsonValue | undefined {
  return (
    json[jsonName] ?? (toJson(parent, create(parent), { alwaysEmitImplicit: true }) as JsonObject)[jsonName]
  );
}

/**
 * Writes the path of a request, percent-encoded. Returns undefined if a field in it is not set, does not match its variable, or would
 * change the path: `.` and `..` are removed by every URL parser, and empty segments by many servers.
 *
 * @param json the request message
 */
function writePath({ method, template }: HttpBinding, json: JsonObject): string | undefined {
  const { segments, variables, verb } = template;
  const parts = segments.flatMap((segment, index) => {
    const variable = variables.find(({ start, end }) => start <= index && index < end);
    if (variable === undefined) {
      // A wildcard without a name has no value.
      return segment.kind === "literal" ? encodeURIComponent(segment.value) : undefined;
    }
    const { start, end, fieldPath, multiSegment } = variable;
    if (start !== index) {
      return [];
    }
    const text = textAt(json, resolveFieldPath(method.input, fieldPath));
    const values = multiSegment ? text?.split("/") : text === undefined ? text : [text];
    return values !== undefined && fits(values, segments.slice(start, end))
      ? values.map(encodeURIComponent)
      : undefined;
  });
  return parts.includes(undefined)
    ? undefined
    : `/${parts.join("/")}${verb === "" ? "" : `:${encodeURIComponent(verb)}`}`;
}

/** The text of a field that is set or, in a message that is set, has its default value. A wrapper is its value. */
function textAt(json: JsonObject, path: FieldPath = []): string | undefined {
  let value: JsonValue | undefined = json;
  for (const field of path) {
    if (!isWrapperDesc(field.parent)) {
      const parent = value as JsonObject | undefined;
      value = parent && (field.jsonName in parent ? parent[field.jsonName] : defaultText(field));
    }
  }
  const field = path.at(-1);
  return field === undefined || value === undefined ? undefined : parameterText(field, value);
}

/** Whether the segments of a value match those of its variable, and stay as they are in a URL. */
function fits(values: readonly string[], segments: readonly TemplateSegment[]): boolean {
  const rest = segments.findIndex(({ kind }) => kind === "rest");
  const added = values.length - segments.length;
  if (rest === -1 ? added !== 0 : added < -1) {
    return false;
  }
  return values.every((value, index) => {
    const segment = segments[rest === -1 || index < rest ? index : Math.max(index - added, rest)];
    // Half of a surrogate pair has no UTF-8.
    const isKept = !["", ".", ".."].includes(value) && !/\p{Surrogate}/u.test(value);
    return isKept && (segment?.kind !== "literal" || segment.value === value);
  });
}
