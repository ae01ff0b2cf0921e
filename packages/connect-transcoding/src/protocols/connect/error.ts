import { create, type JsonObject, type Registry, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import { connectCodeName, httpStatusOf } from "../../errors/codes.js";
import { metadataOf } from "../../errors/metadata.js";
import { headerList, type OutgoingResponse, outgoingResponse } from "../../routes/encoding/representation.js";
import { envelopeOf } from "../envelope.js";

/** The flag of the end of a stream. https://connectrpc.com/docs/protocol/#error-end-stream */
export const END_STREAM_FLAG = 0x02;

const ERROR_HEADERS = headerList({ "content-type": "application/json" });

/** The response of a unary call that fails. https://connectrpc.com/docs/protocol/#error-codes */
export function connectErrorResponse(error: ConnectError, registry?: Registry): OutgoingResponse {
  const body = Buffer.from(JSON.stringify(connectErrorJson(error, registry)));
  return outgoingResponse(httpStatusOf(error.code), [...ERROR_HEADERS, ...metadataOf(error).flat()], body);
}

/** The end of a stream, with its error and trailers. https://connectrpc.com/docs/protocol/#error-end-stream */
export function endOfStream(
  error: ConnectError | undefined,
  trailer: HeaderList,
  registry?: Registry,
): Uint8Array {
  const metadata = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    metadata.set(name, [...(metadata.get(name) ?? []), value]);
  };
  for (const [name, value] of error === undefined ? [] : metadataOf(error)) {
    add(name, value);
  }
  for (let index = 0; index < trailer.length; index += 2) {
    add(trailer[index] ?? "", trailer[index + 1] ?? "");
  }
  const end = {
    ...(error !== undefined && { error: connectErrorJson(error, registry) }),
    ...(metadata.size > 0 && { metadata: Object.fromEntries(metadata) }),
  };
  return envelopeOf(Buffer.from(JSON.stringify(end)), END_STREAM_FLAG);
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

function detailJson(detail: ConnectError["details"][number], registry: Registry | undefined): JsonObject {
  if (!("desc" in detail)) {
    const { type, value, debug } = detail;
    return { type, ...(debug === undefined ? {} : { debug }), value: base64Encode(value, "std_raw") };
  }
  const { desc } = detail;
  const message = create(desc, detail.value);
  const value = base64Encode(toBinary(desc, message), "std_raw");
  try {
    const options = registry === undefined ? {} : { registry };
    return {
      type: desc.typeName,
      debug: toJson(desc, message, { alwaysEmitImplicit: true, ...options }),
      value,
    };
  } catch {
    // `debug` is optional, and an Any of an unknown type has no JSON.
    return { type: desc.typeName, value };
  }
}
