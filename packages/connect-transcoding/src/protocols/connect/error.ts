import { create, type JsonObject, type JsonValue, type Registry, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import { jsonTextOf } from "../../codec/json/data.js";
import { connectCodeName, httpStatusOf } from "../../errors/codes.js";
import { type ErrorDetail, packDetail } from "../../errors/errors.js";
import { metadataOf, withAdded } from "../../errors/metadata.js";
import { headerList, type OutgoingResponse, outgoingResponse } from "../../routes/encoding/representation.js";
import { envelopeOf } from "../envelope.js";

/** The flag of the end of a stream. https://connectrpc.com/docs/protocol/#error-end-stream */
export const END_STREAM_FLAG = 0x02;

const ERROR_HEADERS = headerList({ "content-type": "application/json" });

/** The response of a unary call that fails. https://connectrpc.com/docs/protocol/#error-codes */
export function connectErrorResponse(error: ConnectError, registry?: Registry): OutgoingResponse {
  const body = Buffer.from(jsonTextOf(connectErrorJson(error, registry)));
  return outgoingResponse(httpStatusOf(error.code), [...ERROR_HEADERS, ...metadataOf(error).flat()], body);
}

/** The end of a stream, with its error and trailers. https://connectrpc.com/docs/protocol/#error-end-stream */
export function endOfStream(
  error: ConnectError | undefined,
  trailer: HeaderList,
  registry?: Registry,
): Uint8Array {
  const metadata = new Map<string, string[]>();
  const list = withAdded(error === undefined ? [] : metadataOf(error).flat(), trailer);
  for (let index = 0; index < list.length; index += 2) {
    const [name = "", value = ""] = list.slice(index, index + 2);
    metadata.set(name, [...(metadata.get(name) ?? []), value]);
  }
  const end = {
    ...(error !== undefined && { error: connectErrorJson(error, registry) }),
    ...(metadata.size > 0 && { metadata: Object.fromEntries(metadata) }),
  };
  return envelopeOf(Buffer.from(jsonTextOf(end)), END_STREAM_FLAG);
}

function connectErrorJson(error: ConnectError, registry: Registry | undefined): JsonObject {
  const json: JsonObject = { code: connectCodeName(error.code) };
  if (error.rawMessage !== "") {
    json.message = error.rawMessage;
  }
  if (error.details.length > 0) {
    json.details = error.details.map((detail) => detailJson(detail, registry));
  }
  return json;
}

function detailJson(detail: ErrorDetail, registry: Registry | undefined): JsonObject {
  const { type, value } = packDetail(detail);
  const debug = debugOf(detail, registry);
  return { type, ...(debug !== undefined && { debug }), value: base64Encode(value, "std_raw") };
}

/** Undefined for a detail that JSON cannot express, such as an Any of an unknown type. */
function debugOf(detail: ErrorDetail, registry: Registry | undefined): JsonValue | undefined {
  if (!("desc" in detail)) {
    return detail.debug;
  }
  try {
    const options = { alwaysEmitImplicit: true, ...(registry !== undefined && { registry }) };
    return toJson(detail.desc, create(detail.desc, detail.value), options);
  } catch {
    return undefined;
  }
}
