import { create, fromBinary, type JsonObject, type Registry, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { hasOwnForm } from "../../codec/value-parser.js";
import { DETAIL_TYPES } from "../../errors/detail-types.js";
import { type ErrorDetail, packDetail } from "../../errors/errors.js";

/**
 * The details of an error, each as a google.protobuf.Any in ProtoJSON. One of a type that the registry does not have, and one that JSON cannot
 * express, has its bytes in base64 as `value`.
 */
export function errorDetails(error: ConnectError, registry: Registry = DETAIL_TYPES): JsonObject[] {
  return error.details.map((detail) => {
    try {
      return detailToJson(detail, registry) ?? packedToJson(detail);
    } catch {
      return packedToJson(detail);
    }
  });
}

/** Returns undefined for an unknown type. Throws for bytes of another type, and for values that JSON cannot express. */
function detailToJson(detail: ErrorDetail, registry: Registry): JsonObject | undefined {
  const desc = "desc" in detail ? detail.desc : registry.getMessage(detail.type);
  if (desc === undefined) {
    return undefined;
  }
  const message = "desc" in detail ? create(desc, detail.value) : fromBinary(desc, detail.value);
  // The name of the parameter in violation can be empty: `?=x`.
  const alwaysEmitImplicit = desc.typeName === BadRequestSchema.typeName;
  const json = toJson(desc, message, { registry, alwaysEmitImplicit });
  return anyJson(desc.typeName, hasOwnForm(desc) ? { value: json } : (json as JsonObject));
}

function packedToJson(detail: ErrorDetail): JsonObject {
  const { type, value } = packDetail(detail);
  return anyJson(type, { value: base64Encode(value) });
}

function anyJson(typeName: string, members: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/${typeName}`, ...members };
}
