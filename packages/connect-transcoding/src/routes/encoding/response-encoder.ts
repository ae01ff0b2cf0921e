import type { DescField, Registry } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { JsonForm } from "../../codec/json/form.js";
import { createJsonResponseWriter, createJsonWriters, restForm } from "../../codec/json/writer.js";
import type { MessageInit } from "../../codec/message-field.js";
import {
  type HttpBinding,
  httpBodyReader,
  methodName,
  responseBodyOf,
  responseTextReader,
} from "../rules/http-rule.js";

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
 * message or its `response_body` in ProtoJSON in a form, by default with default values and the `http_value` of enum values, or the data of a
 * `google.api.HttpBody`. Throws an Error that names the method for a `success_status` of no success.
 */
export function createResponseEncoder(
  binding: HttpBinding,
  textField: string | undefined,
  registry: Registry,
  form?: JsonForm,
): ResponseEncoder {
  const { output } = binding.method;
  const body = responseBodyOf(binding, textField);
  const status = successStatus(binding);
  if (hasNoContent(status)) {
    const headers = Object.freeze(cachingHeaders(binding));
    return () => ({ status, headers, body: "" });
  }
  switch (body.kind) {
    case "text":
      return fixedTypeEncoder(binding, status, "text/plain; charset=utf-8", responseTextReader(body.field));
    case "bytes":
      return httpBodyEncoder(binding, status, body.field);
    case "json":
      return fixedTypeEncoder(
        binding,
        status,
        JSON_TYPE,
        body.field === undefined
          ? createJsonWriters(registry, restForm(form)).ofBody(output)
          : createJsonResponseWriter(output, body.field, registry, form),
      );
  }
}

function fixedTypeEncoder(
  binding: HttpBinding,
  status: number,
  contentType: string,
  write: (message: MessageInit) => string | Uint8Array,
): ResponseEncoder {
  const headers = Object.freeze({ "content-type": contentType, ...cachingHeaders(binding) });
  return isSafe(binding)
    ? (message) => ({ status, headers, body: write(message), safe: true })
    : (message) => ({ status, headers, body: write(message) });
}

function httpBodyEncoder(
  binding: HttpBinding,
  status: number,
  field: DescField | undefined,
): ResponseEncoder {
  const read = httpBodyReader(field);
  const caching = cachingHeaders(binding);
  const safety = isSafe(binding) ? { safe: true } : {};
  return (message) => {
    const { contentType, data } = read(message);
    const headers = contentType === "" ? caching : { "content-type": contentType, ...caching };
    return { status, headers, body: data, ...safety };
  };
}

/** The status of the successful responses of a binding. Throws an Error for a status of no success. */
export function successStatus({ method, options }: HttpBinding): number {
  const status = options.successStatus === 0 ? 200 : options.successStatus;
  if (!isSuccessStatus(status)) {
    throw new Error(`${methodName(method)}: success_status ${status} must be one of ${SUCCESS_STATUSES}`);
  }
  return status;
}

/** A response with another status, and without its body if that status has none. Throws a TypeError for a status of no success. */
export function withStatus({ headers, body }: HttpResponse, status: number): HttpResponse {
  if (!isSuccessStatus(status)) {
    throw new TypeError(`the HTTP status ${status} is not that of a success; allowed: ${SUCCESS_STATUSES}`);
  }
  if (!hasNoContent(status)) {
    return { status, headers, body };
  }
  const { "content-type": _, ...others } = headers;
  return { status, headers: others, body: "" };
}

/**
 * Whether a binding is a GET without side effects. Conditional requests exist for nothing else:
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function isSafe({ method, httpMethod }: HttpBinding): boolean {
  return httpMethod === "GET" && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

function cachingHeaders({ options, httpMethod }: HttpBinding): Record<string, string> {
  return {
    ...(options.cacheControl === "" ? {} : { "cache-control": options.cacheControl }),
    ...(options.representation === undefined || httpMethod !== "GET" ? {} : { vary: "accept" }),
  };
}

/** Whether a `Cache-Control` header forbids caches to store the response (RFC 9111, section 5.2.2.5). */
export function forbidsStoring(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /\bno-store\b/.test(cacheControl);
}

/** The media type of JSON responses. */
export const JSON_TYPE = "application/json; charset=utf-8";

const REDIRECTIONS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Which statuses a successful response can have. */
export const SUCCESS_STATUSES = "200 to 299, 301, 302, 303, 307, 308";

/** Whether a method can respond with a status. 304 is for conditional requests only. */
export function isSuccessStatus(status: number): boolean {
  return (Number.isInteger(status) && status >= 200 && status <= 299) || REDIRECTIONS.has(status);
}

/** Whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.3.6). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205;
}
