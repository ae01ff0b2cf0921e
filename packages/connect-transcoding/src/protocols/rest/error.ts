import { createRegistry, type JsonObject, type JsonValue, type Registry } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { CONNECTION_HEADERS } from "@utility-tools/http-server/portable";
import { jsonTextOf } from "../../codec/json/data.js";
import { codeName } from "../../errors/codes.js";
import { DETAIL_TYPES } from "../../errors/detail-types.js";
import { errorStatus } from "../../errors/http-error.js";
import { metadataOf, validateHeader } from "../../errors/metadata.js";
import { type OutgoingResponse, toOutgoing } from "../../routes/encoding/representation.js";
import { type HttpResponse, JSON_TYPE } from "../../routes/encoding/response-encoder.js";
import { errorDetails } from "./error-details.js";

/** The request whose response is an error. */
export interface FailedRequest {
  readonly httpMethod: string;
  readonly path: string;
  /** The value of a header by its lower-case name; several values are joined by a comma. */
  header(name: string): string | undefined;
}

/** An error over REST in a form of its own. */
export interface RestError {
  /** 400 to 599. Default: that of the error's code. */
  readonly status?: number | undefined;
  /** Added to the headers of the error. Default of `content-type`: `application/json; charset=utf-8`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body as JSON. The last part of a stream that fails is an object with it as the member `error`. */
  readonly body: JsonValue;
}

/**
 * Returns the form of an error over REST; undefined for that of AIP-193. `request` is undefined if the server has rejected it before it
 * could be read. `details` are those of the error as AIP-193 has them.
 */
export type EncodeError = (
  error: ConnectError,
  request: FailedRequest | undefined,
  details: readonly JsonObject[],
) => RestError | undefined;

/** Writes the errors of one adapter over REST. */
export interface ErrorWriter {
  /** The response with an error. */
  respond(
    error: ConnectError,
    request: FailedRequest | undefined,
    headers?: Readonly<Record<string, string>>,
  ): OutgoingResponse;
  /** The JSON text of an error in a stream. */
  text(error: ConnectError, request: FailedRequest): string;
}

/**
 * Creates the writer of errors in the form that `encode` returns. If `encode` throws, or returns a status or a header that cannot be
 * sent, `onError` is called and the error is in the default form.
 *
 * @param registry resolves the types of details, besides those of `google.rpc` and the well-known ones
 */
export function createErrorWriter(
  encode: EncodeError | undefined,
  onError: (thrown: unknown) => void,
  registry: Registry = createRegistry(),
): ErrorWriter {
  const types = createRegistry(DETAIL_TYPES, registry);
  const formOf = (
    error: ConnectError,
    request: FailedRequest | undefined,
    details: readonly JsonObject[],
  ): RestError | undefined => {
    try {
      const form = encode?.(error, request, details);
      return form && checkedForm(form);
    } catch (thrown) {
      onError(thrown);
      return undefined;
    }
  };
  return {
    respond: (error, request, headers) => {
      const details = errorDetails(error, types);
      const usual = encodeError(error, headers, details);
      const form = formOf(error, request, details);
      const response = toOutgoing(
        form === undefined
          ? usual
          : {
              status: form.status ?? usual.status,
              headers: { ...usual.headers, ...form.headers },
              body: jsonTextOf(form.body),
            },
      );
      return form?.headers?.["set-cookie"] === undefined ? withCookies(response, error) : response;
    },
    text: (error, request) => {
      const details = errorDetails(error, types);
      const form = formOf(error, request, details);
      // The member tells an error from a message.
      return form === undefined ? errorText(error, details) : jsonTextOf({ error: form.body });
    },
  };
}

/** A response with all cookies of an error: an object of headers has the last one (RFC 6265, section 3). */
function withCookies(response: OutgoingResponse, error: ConnectError): OutgoingResponse {
  const cookies = metadataOf(error).filter(([name]) => name === "set-cookie");
  return cookies.length < 2
    ? response
    : { ...response, headers: [...cookies.slice(0, -1).flat(), ...response.headers] };
}

/** Throws a TypeError for a form that cannot be sent. */
function checkedForm(form: RestError): RestError {
  const { status, headers = {}, body } = form;
  if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new TypeError(`encodeError returned the status ${status}; allowed: 400 to 599`);
  }
  if (JSON.stringify(body) === undefined) {
    throw new TypeError("encodeError returned a body that is not JSON");
  }
  const checked = new Headers(headers);
  for (const [name, value] of checked) {
    if (CONNECTION_HEADERS.has(name) || name === "content-length") {
      throw new TypeError(`the server sends the header ${name} itself`);
    }
    validateHeader(name, value);
  }
  return { status, headers: Object.fromEntries(checked), body };
}

/** Encodes an error as AIP-193 does: `{"error": {"code", "status", "message", "details"}}`. */
export function encodeError(
  error: ConnectError,
  headers: Readonly<Record<string, string>> = {},
  details: readonly JsonObject[] = errorDetails(error),
): HttpResponse {
  return {
    status: errorStatus(error),
    headers: { "content-type": JSON_TYPE, ...headers, ...Object.fromEntries(metadataOf(error)) },
    body: errorText(error, details),
  };
}

/** The JSON text of an error, which is also in the last part of a stream that fails. */
function errorText(error: ConnectError, details: readonly JsonObject[]): string {
  return jsonTextOf({
    error: { code: errorStatus(error), status: codeName(error.code), message: error.rawMessage, details },
  });
}
