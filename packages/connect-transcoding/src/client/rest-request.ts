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
 * Encodes the messages of a request by the first binding whose path has a place for them. A stream of messages is an array in one body.
 * Throws a ConnectError if no binding does: a field of the path is empty, or does not match its template.
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
  for (const binding of bindings) {
    const path = writePath(binding, first);
    if (path !== undefined) {
      const query = String(new URLSearchParams(queryParameters(binding, first)));
      const target = query === "" ? path : `${path}?${query}`;
      return { binding, target, ...contentOf(binding, messages, json) };
    }
  }
  const paths = bindings.map(({ httpMethod, template }) => `${httpMethod} ${template.source}`).join(", ");
  throw new ConnectError(
    `${methodName(method)} has fields that match no path of ${paths}`,
    Code.InvalidArgument,
  );
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
  const bodies =
    field === undefined ? json : json.map(({ [field.jsonName]: value = emptyOf(field) }) => value);
  return { contentType: "application/json", body: JSON.stringify(takesStream(method) ? bodies : bodies[0]) };
}

/** The JSON of a field that is not set. */
function emptyOf({ parent, jsonName }: DescField): JsonValue {
  return (toJson(parent, create(parent), { alwaysEmitImplicit: true }) as JsonObject)[jsonName] ?? {};
}
