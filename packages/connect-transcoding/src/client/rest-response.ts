import {
  create,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { createJsonReaders } from "../codec/json-reader.js";
import type { JsonReading } from "../codec/json-reading.js";
import { codeName } from "../errors/codes.js";
import { type HttpBinding, responseBodyOf } from "../routes/rules/http-rule.js";

/** Decodes the JSON of a response, or of a message in a stream. Throws a ConnectError for JSON of another form. */
export function decodeMessage<O extends DescMessage>(
  output: O,
  { responseBody }: HttpBinding,
  json: JsonValue,
  registry: Registry,
): MessageShape<O> {
  const whole = responseBody === undefined ? json : { [responseBody.jsonName]: json };
  // Unlike protobuf-es, it reads the `http_value` of enum values.
  const reading: JsonReading = { unknownMembers: "ignore", violations: [], depth: 0 };
  const message = createJsonReaders(registry).ofMessage(output)(whole, reading);
  if (message === undefined || reading.violations.length > 0) {
    throw new ConnectError("the response is not in the form of its message", Code.Internal);
  }
  return message as MessageShape<O>;
}

/** Whether the response is the content of a `google.api.HttpBody`. */
export function isBytes(binding: HttpBinding): boolean {
  return responseBodyOf({ method: binding.method, responseBody: binding.responseBody }).kind === "bytes";
}

/** The message of a response that is the content of a `google.api.HttpBody`. */
export function bytesMessage<O extends DescMessage>(
  output: O,
  { responseBody }: HttpBinding,
  contentType: string,
  data: Uint8Array,
): MessageShape<O> {
  const httpBody = { contentType, data };
  const message: Message = create(output);
  if (responseBody === undefined) {
    Object.assign(message, httpBody);
  } else {
    reflect(output as DescMessage, message).set(
      responseBody,
      reflect(HttpBodySchema, create(HttpBodySchema, httpBody)),
    );
  }
  return message as MessageShape<O>;
}

/** The codes of errors without a code of their own, by their HTTP status. https://google.aip.dev/193 */
const CODES: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  405: Code.Unimplemented,
  408: Code.DeadlineExceeded,
  409: Code.Aborted,
  412: Code.FailedPrecondition,
  413: Code.ResourceExhausted,
  416: Code.OutOfRange,
  429: Code.ResourceExhausted,
  431: Code.ResourceExhausted,
  499: Code.Canceled,
  500: Code.Internal,
  501: Code.Unimplemented,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.DeadlineExceeded,
};

const CODES_BY_NAME: ReadonlyMap<unknown, Code> = new Map(
  Object.values(Code).flatMap((code): [string, Code][] =>
    typeof code === "number" ? [[codeName(code), code]] : [],
  ),
);

/**
 * Decodes an error: as in AIP-193, a `google.rpc.Status` as grpc-gateway and Envoy send it, problem details (RFC 9457), or any other body,
 * for which the status decides. `headers` become its metadata.
 */
export function decodeError(
  status: number,
  body: JsonValue | undefined,
  headers: Headers,
  registry: Registry,
): ConnectError {
  const outer = objectOf(body);
  // In a stream, grpc-gateway wraps the status in `error` as well.
  const inner = typeof outer.error === "object" ? objectOf(outer.error) : outer;
  const named = CODES_BY_NAME.get(inner.status) ?? CODES_BY_NAME.get(inner.code);
  const numbered = typeof inner.code === "number" && inner.code in Code ? (inner.code as Code) : undefined;
  const code = named ?? numbered ?? CODES[status] ?? (status >= 500 ? Code.Unavailable : Code.Unknown);
  const [message = `HTTP status ${status}`] = [
    inner.message,
    inner.detail,
    inner.title,
    outer.message,
  ].filter((text): text is string => typeof text === "string" && text !== "");
  const error = new ConnectError(message, code, headers);
  const details = Array.isArray(inner.details) ? inner.details : [];
  error.details = details.flatMap((detail) => decodeDetail(objectOf(detail), registry));
  return error;
}

/** A detail of a known type, in the form in which clients of connect-es find it. */
function decodeDetail(detail: JsonObject, registry: Registry): ConnectError["details"] {
  const { "@type": url, ...members } = detail;
  const type = typeof url === "string" ? url.slice(url.lastIndexOf("/") + 1) : "";
  const desc = registry.getMessage(type);
  if (desc === undefined) {
    return [];
  }
  try {
    const message = fromJson(desc, members, { registry, ignoreUnknownFields: true });
    return [{ type, value: toBinary(desc, message), debug: members }];
  } catch {
    return [];
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
