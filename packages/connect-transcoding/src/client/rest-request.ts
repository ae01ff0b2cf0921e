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
import { Code, ConnectError } from "@connectrpc/connect";
import { type HttpBinding, httpBodyReader, methodName, takesStream } from "../routes/rules/http-rule.js";
import { queryParameters } from "../routes/rules/parameter-texts.js";
import { writePath } from "../routes/rules/path-text.js";

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
        const query = writeQuery(queryParameters(binding, first));
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
  const invalid = parameters.find(([, text]) => /\p{Surrogate}/u.test(text));
  if (invalid !== undefined) {
    throw new ConnectError(`the field ${invalid[0]} is not Unicode text`, Code.InvalidArgument);
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
