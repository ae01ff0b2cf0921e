import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.js";
import { codeName } from "../../errors/codes.js";
import { errorStatus } from "../../errors/http-error.js";
import { metadataOf } from "../../errors/metadata.js";
import { toHeaderList } from "../../routes/encoding/headers.js";
import { type HttpResponse, JSON_TYPE } from "../../routes/encoding/response-encoder.js";

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
 * could be read.
 */
export type EncodeError = (error: ConnectError, request: FailedRequest | undefined) => RestError | undefined;

/** Writes the errors of one adapter over REST. */
export interface ErrorWriter {
  /** The response with an error. */
  respond(
    error: ConnectError,
    request: FailedRequest | undefined,
    headers?: Readonly<Record<string, string>>,
  ): HttpResponse;
  /** The JSON text of an error in a stream. */
  text(error: ConnectError, request: FailedRequest): string;
}

/**
 * Creates the writer of errors in the form that `encode` returns. If `encode` throws, or returns a status or a header that cannot be
 * sent, `onError` is called and the error is in the default form.
 */
export function createErrorWriter(
  encode: EncodeError | undefined,
  onError: (thrown: unknown) => void,
): ErrorWriter {
  if (encode === undefined) {
    return { respond: (error, _request, headers) => encodeError(error, headers), text: errorText };
  }
  const formOf = (error: ConnectError, request: FailedRequest | undefined): RestError | undefined => {
    try {
      const form = encode(error, request);
      return form && checkedForm(form);
    } catch (thrown) {
      onError(thrown);
      return undefined;
    }
  };
  return {
    respond: (error, request, headers) => {
      const usual = encodeError(error, headers);
      const form = formOf(error, request);
      return form === undefined
        ? usual
        : {
            status: form.status ?? usual.status,
            headers: { ...usual.headers, ...form.headers },
            body: JSON.stringify(form.body),
          };
    },
    text: (error, request) => {
      const form = formOf(error, request);
      // The member tells an error from a message.
      return form === undefined ? errorText(error) : JSON.stringify({ error: form.body });
    },
  };
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
  toHeaderList(checked);
  return { status, headers: Object.fromEntries(checked), body };
}

/** Encodes an error as AIP-193 does: `{"error": {"code", "status", "message", "details"}}`. */
export function encodeError(
  error: ConnectError,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status: errorStatus(error),
    headers: { "content-type": JSON_TYPE, ...headers, ...Object.fromEntries(metadataOf(error)) },
    body: errorText(error),
  };
}

/** The JSON text of an error, which is also in the last part of a stream that fails. */
export function errorText(error: ConnectError): string {
  const details = errorDetails(error);
  return JSON.stringify({
    error: { code: errorStatus(error), status: codeName(error.code), message: error.rawMessage, details },
  });
}

/** The details of an error, each as a google.protobuf.Any in ProtoJSON. */
export function errorDetails(error: ConnectError): JsonObject[] {
  return error.details.map(detailToJson);
}

const DETAIL_TYPES = createRegistry(BadRequestSchema, ErrorInfoSchema, RetryInfoSchema);

/** A detail as google.protobuf.Any in ProtoJSON. One that another server sent, and that cannot be read here, is in base64. */
function detailToJson(detail: ConnectError["details"][number]): JsonObject {
  if ("desc" in detail) {
    const { desc, value } = detail;
    return messageJson(desc, create(desc, value));
  }
  const desc = DETAIL_TYPES.getMessage(detail.type);
  const message = desc && readDetail(desc, detail.value);
  return desc === undefined || message === undefined
    ? anyJson(detail.type, { value: base64Encode(detail.value) })
    : messageJson(desc, message);
}

/** Returns undefined for bytes that are not such a message. */
function readDetail(desc: DescMessage, value: Uint8Array): Message | undefined {
  try {
    return fromBinary(desc, value);
  } catch {
    return undefined;
  }
}

function messageJson(desc: DescMessage, message: Message): JsonObject {
  // The name of the parameter in violation can be empty: `?=x`.
  const alwaysEmitImplicit = desc.typeName === BadRequestSchema.typeName;
  return anyJson(desc.typeName, toJson(desc, message, { registry: DETAIL_TYPES, alwaysEmitImplicit }));
}

function anyJson(typeName: string, json: JsonValue): JsonObject {
  return { "@type": `type.googleapis.com/${typeName}`, ...(json as JsonObject) };
}
