import {
  create,
  createRegistry,
  type DescMessage,
  isMessage,
  type JsonObject,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { type ErrorDetail, errorDetails, type RpcError } from "../rpc/rpc-error.js";
import { HttpError } from "./http-error.js";
import type { HttpBinding } from "./http-rule.js";
import { codeName, httpStatusOf } from "./status.js";

/** An HTTP answer, without what the connection adds to it. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
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
  const { output } = binding.method;
  const { responseBody, surface } = binding;
  const caching = surface.cacheControl === "" ? {} : { "cache-control": surface.cacheControl };
  const answer = (contentType: string, body: string | Uint8Array): HttpAnswer => ({
    status: 200,
    headers: { "content-type": contentType, ...caching },
    body,
  });

  const text = output.fields.find(({ name }) => name === textField);
  if (text !== undefined) {
    return (message) => answer("text/plain; charset=utf-8", String(fieldValue(message, text.localName)));
  }
  if (responseBody?.message?.typeName === HttpBodySchema.typeName) {
    return (message) => {
      const body = fieldValue(message, responseBody.localName);
      const { contentType, data } = isMessage(body, HttpBodySchema) ? body : create(HttpBodySchema);
      return answer(contentType, data);
    };
  }
  return (message) => {
    const json = toProtoJson(output, message, registry);
    const value = responseBody === undefined ? json : json[responseBody.jsonName];
    return answer(JSON_TYPE, JSON.stringify(value ?? null));
  };
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Writes an error as AIP-193 has it: `{"error": {"code", "status", "message", "details"}}`. */
export function errorAnswer(error: RpcError, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  const code = error instanceof HttpError ? error.status : httpStatusOf(error.code);
  const details = errorDetails(error).map(detailToJson);
  const body = { error: { code, status: codeName(error.code), message: error.message, details } };
  return {
    status: code,
    headers: {
      "content-type": JSON_TYPE,
      ...headers,
      ...(error instanceof HttpError ? error.headers : {}),
    },
    body: JSON.stringify(body),
  };
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

function fieldValue(message: Message, localName: string): unknown {
  return (message as Message & Record<string, unknown>)[localName];
}
