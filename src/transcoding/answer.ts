import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  isMessage,
  type JsonObject,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { type ErrorDetail, errorDetails, type RpcError } from "../rpc/rpc-error.js";
import { HttpError } from "./http-error.js";
import { type HttpBinding, isHttpBody } from "./http-rule.js";
import { codeName, httpStatusOf } from "./status.js";

/** An HTTP answer, without what the connection adds to it. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Whether the same request gets the same answer and changes nothing, so that an entity tag is of use. */
  readonly safe?: boolean;
}

/** Writes a response message as the HTTP answer of its binding. */
export type AnswerEncoder = (message: Message) => HttpAnswer;

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
  const { output, idempotency } = binding.method;
  const { responseBody } = binding;
  const caching = cachingHeaders(binding);
  const safety = idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? { safe: true } : {};
  const answer = (contentType: string, body: string | Uint8Array): HttpAnswer => ({
    status: 200,
    headers: { "content-type": contentType, ...caching },
    body,
    ...safety,
  });

  const text = output.fields.find(({ name }) => name === textField);
  if (text !== undefined) {
    return (message) => answer("text/plain; charset=utf-8", String(fieldValue(message, text)));
  }
  if (isHttpBody(responseBody?.message ?? output)) {
    return (message) => {
      const body = responseBody === undefined ? message : fieldValue(message, responseBody);
      const { contentType, data } = isMessage(body, HttpBodySchema) ? body : create(HttpBodySchema);
      return answer(contentType, data);
    };
  }
  const toText = jsonEncoder(binding, registry);
  return (message) => answer(JSON_TYPE, toText(message));
}

/** Writes a response message, or its `response_body`, as JSON text. */
function jsonEncoder(
  { method, responseBody }: HttpBinding,
  registry: Registry,
): (message: Message) => string {
  return (message) => {
    const json = toProtoJson(method.output, message, registry);
    return JSON.stringify((responseBody === undefined ? json : json[responseBody.jsonName]) ?? null);
  };
}

/** The headers that a binding's answers have for caches. */
function cachingHeaders({ surface }: HttpBinding): Record<string, string> {
  return surface.cacheControl === "" ? {} : { "cache-control": surface.cacheControl };
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

/** The JSON text of an error, which is also the last line of a stream that fails. */
export function errorText(error: RpcError): string {
  const details = errorDetails(error).map(detailToJson);
  const { message } = error;
  return JSON.stringify({ error: { code: statusOf(error), status: codeName(error.code), message, details } });
}

function statusOf(error: RpcError): number {
  return error instanceof HttpError ? error.status : httpStatusOf(error.code);
}

const DETAIL_TYPES = createRegistry(BadRequestSchema, ErrorInfoSchema);

function detailToJson({ desc, value }: ErrorDetail): JsonObject {
  const json = toJson(desc, create(desc, value), { registry: DETAIL_TYPES });
  return { "@type": `type.googleapis.com/${desc.typeName}`, ...(json as JsonObject) };
}

function toProtoJson(desc: DescMessage, message: Message, registry: Registry): JsonObject {
  // Only some well-known types are anything but an object, and a method answers with a message of its own.
  return toJson(desc, message, { alwaysEmitImplicit: true, registry }) as JsonObject;
}

function fieldValue(message: Message, { localName }: DescField): unknown {
  return (message as Message & Record<string, unknown>)[localName];
}
