import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { createJsonResponseWriter, createJsonWriters } from "../codec/json-writer.js";
import type { MessageInit } from "../codec/message-field.js";
import { codeName } from "../errors/codes.js";
import { errorStatus } from "../errors/http-error.js";
import { type HttpBinding, httpBodyReader, responseBodyOf, responseTextReader } from "../rules/http-rule.js";

/** A response without the headers that the connection adds. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Whether it is the response to a GET without side effects, which can have an entity tag. */
  readonly safe?: boolean;
}

/**
 * Encodes a response message, or a plain object for `create`, as the HTTP response of a binding. All responses of one
 * encoder share one headers object, unless a `google.api.HttpBody` sets the content type.
 */
export type ResponseEncoder = (message: MessageInit) => HttpResponse;

/**
 * Creates the encoder of a binding. With `textField`, the response is that string field as plain text. Otherwise it is the
 * message or its `response_body` in ProtoJSON, default values included, or the data of a `google.api.HttpBody`.
 */
export function createResponseEncoder(
  binding: HttpBinding,
  textField: string | undefined,
  registry: Registry,
): ResponseEncoder {
  const { output } = binding.method;
  const body = responseBodyOf(binding, textField);
  switch (body.kind) {
    case "text":
      return fixedTypeEncoder(binding, "text/plain; charset=utf-8", responseTextReader(body.field));
    case "bytes":
      return httpBodyEncoder(binding, body.field);
    case "json":
      return fixedTypeEncoder(
        binding,
        JSON_TYPE,
        body.field === undefined
          ? createJsonWriters(registry).ofBody(output)
          : createJsonResponseWriter(output, body.field, registry),
      );
  }
}

function fixedTypeEncoder(
  binding: HttpBinding,
  contentType: string,
  write: (message: MessageInit) => string | Uint8Array,
): ResponseEncoder {
  const headers = Object.freeze({ "content-type": contentType, ...cachingHeaders(binding) });
  return isSafe(binding)
    ? (message) => ({ status: 200, headers, body: write(message), safe: true })
    : (message) => ({ status: 200, headers, body: write(message) });
}

function httpBodyEncoder(binding: HttpBinding, field: DescField | undefined): ResponseEncoder {
  const read = httpBodyReader(field);
  const caching = cachingHeaders(binding);
  const safety = isSafe(binding) ? { safe: true } : {};
  return (message) => {
    const { contentType, data } = read(message);
    return { status: 200, headers: { "content-type": contentType, ...caching }, body: data, ...safety };
  };
}

/**
 * Whether a binding is a GET without side effects. Conditional requests exist for nothing else:
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function isSafe({ method, httpMethod }: HttpBinding): boolean {
  return httpMethod === "GET" && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

function cachingHeaders({ options }: HttpBinding): Record<string, string> {
  return options.cacheControl === "" ? {} : { "cache-control": options.cacheControl };
}

/** Whether a `Cache-Control` header forbids caches to store the response (RFC 9111, section 5.2.2.5). */
export function forbidsStoring(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /\bno-store\b/.test(cacheControl);
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Encodes an error as AIP-193 does: `{"error": {"code", "status", "message", "details"}}`. */
export function encodeError(
  error: ConnectError,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status: errorStatus(error),
    headers: { "content-type": JSON_TYPE, ...headers, ...Object.fromEntries(error.metadata) },
    body: errorText(error),
  };
}

/** The JSON text of an error, which is also in the last part of a stream that fails. */
export function errorText(error: ConnectError): string {
  const details = error.details.map(detailToJson);
  return JSON.stringify({
    error: { code: errorStatus(error), status: codeName(error.code), message: error.rawMessage, details },
  });
}

const DETAIL_TYPES = createRegistry(BadRequestSchema, ErrorInfoSchema, RetryInfoSchema);

/** A detail as google.protobuf.Any in ProtoJSON; one of an unknown type, relayed from another server, in base64. */
function detailToJson(detail: ConnectError["details"][number]): JsonObject {
  if ("desc" in detail) {
    const { desc, value } = detail;
    return messageJson(desc, create(desc, value));
  }
  const desc = DETAIL_TYPES.getMessage(detail.type);
  return desc === undefined
    ? anyJson(detail.type, { value: base64Encode(detail.value) })
    : messageJson(desc, fromBinary(desc, detail.value));
}

function messageJson(desc: DescMessage, message: Message): JsonObject {
  // The name of the parameter in violation can be empty: `?=x`.
  const alwaysEmitImplicit = desc.typeName === BadRequestSchema.typeName;
  return anyJson(desc.typeName, toJson(desc, message, { registry: DETAIL_TYPES, alwaysEmitImplicit }));
}

function anyJson(typeName: string, json: JsonValue): JsonObject {
  return { "@type": `type.googleapis.com/${typeName}`, ...(json as JsonObject) };
}
