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
import { type HttpResponse, JSON_TYPE } from "../../routes/encoding/response-encoder.js";

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
