import {
  create,
  createRegistry,
  type DescField,
  type JsonObject,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { createJsonResponseWriter } from "../codec/json-writer.js";
import type { MessageInit } from "../codec/message-field.js";
import { codeName } from "../errors/code-name.js";
import { HttpError } from "../errors/http-error.js";
import {
  type ErrorDetail,
  errorDetails,
  httpStatusOf,
  type RpcError,
  toRpcError,
} from "../errors/rpc-error.js";
import { type HttpBinding, httpBodyReader, responseBodyOf, responseTextReader } from "../rules/http-rule.js";

/** An HTTP answer, without what the connection adds to it. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Whether it is the answer to a GET that changes nothing, so that an entity tag is of use. */
  readonly safe?: boolean;
}

/**
 * Writes a response message, or a plain object that stands for one, as the HTTP answer of its binding. The headers are one
 * and the same object for each answer of an encoder, unless a `google.api.HttpBody` says what its type is.
 */
export type AnswerEncoder = (message: MessageInit) => HttpAnswer;

/**
 * Makes the encoder of a binding. `textField` is the string field that is the whole answer, as plain text; without
 * it the answer is the message or its `response_body` in ProtoJSON, fields with their default value included, or
 * what a `google.api.HttpBody` holds.
 */
export function answerEncoder(
  binding: HttpBinding,
  textField: string | undefined,
  registry: Registry,
): AnswerEncoder {
  const { output } = binding.method;
  const body = responseBodyOf(binding, textField);
  switch (body.kind) {
    case "text":
      return answerWriter(binding, "text/plain; charset=utf-8", responseTextReader(body.field));
    case "bytes":
      return httpBodyEncoder(binding, body.field);
    case "json":
      return answerWriter(binding, JSON_TYPE, createJsonResponseWriter(output, body.field, registry));
  }
}

/** Makes an encoder whose answers are all of one type. */
function answerWriter(
  binding: HttpBinding,
  contentType: string,
  write: (message: MessageInit) => string,
): AnswerEncoder {
  const headers = Object.freeze({ "content-type": contentType, ...cachingHeaders(binding) });
  return isSafe(binding)
    ? (message) => ({ status: 200, headers, body: write(message), safe: true })
    : (message) => ({ status: 200, headers, body: write(message) });
}

/** Makes the encoder of answers that are octets with a type of their own. */
function httpBodyEncoder(binding: HttpBinding, field: DescField | undefined): AnswerEncoder {
  const read = httpBodyReader(field);
  const caching = cachingHeaders(binding);
  const safety = isSafe(binding) ? { safe: true } : {};
  return (message) => {
    const { contentType, data } = read(message);
    return { status: 200, headers: { "content-type": contentType, ...caching }, body: data, ...safety };
  };
}

/**
 * Whether a binding's answers change nothing and are those of GET, the only method whose answers callers can ask for on
 * condition: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function isSafe({ method, httpMethod }: HttpBinding): boolean {
  return httpMethod === "GET" && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** The headers that a binding's answers have for caches. */
function cachingHeaders({ options }: HttpBinding): Record<string, string> {
  return options.cacheControl === "" ? {} : { "cache-control": options.cacheControl };
}

/** The media type of a stream of messages: JSON texts, one a line. https://github.com/ndjson/ndjson-spec */
export const STREAM_TYPE = "application/x-ndjson";

const JSON_TYPE = "application/json; charset=utf-8";

/** Writes an error as AIP-193 has it: `{"error": {"code", "status", "message", "details"}}`. */
export function errorAnswer(error: RpcError, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return {
    status: statusOf(error),
    headers: {
      "content-type": JSON_TYPE,
      ...headers,
      ...(error instanceof HttpError ? error.headers : {}),
    },
    body: errorText(error),
  };
}

/** Encodes an error as {@link errorAnswer} does. */
export function encodeError(
  error: ConnectError | RpcError,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return errorAnswer(toRpcError(error) as RpcError, headers);
}

/** The JSON text of an error, which is also the last line of a stream that fails. */
export function errorText(error: RpcError): string {
  const details = errorDetails(error).map(detailToJson);
  const { message } = error;
  return JSON.stringify({ error: { code: statusOf(error), status: codeName(error.code), message, details } });
}

function statusOf(error: RpcError): number {
  return error instanceof HttpError ? error.status : httpStatusOf(error.code);
}

const DETAIL_TYPES = createRegistry(BadRequestSchema, ErrorInfoSchema, RetryInfoSchema);

function detailToJson({ desc, value }: ErrorDetail): JsonObject {
  const json = toJson(desc, create(desc, value), { registry: DETAIL_TYPES });
  return { "@type": `type.googleapis.com/${desc.typeName}`, ...(json as JsonObject) };
}
