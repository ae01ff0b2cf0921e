import { fromJson, type JsonObject, type JsonValue, type Registry } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { isJsonObject } from "../codec/json/data.js";
import { typeNameOf } from "../codec/value-parser.js";
import { codeNamed, codeOfStatus } from "../errors/codes.js";

/**
 * Decodes an error: as in AIP-193, a `google.rpc.Status` as grpc-gateway and Envoy send it, problem details (RFC 9457), or any other body,
 * for which the status decides. The headers become its metadata.
 */
export function decodeError(response: Response, body: unknown, registry: Registry): ConnectError {
  const outer = objectOf(body);
  // In a stream, grpc-gateway wraps the status in `error` as well.
  const inner = typeof outer.error === "object" ? objectOf(outer.error) : outer;
  const numbered = typeof inner.code === "number" && inner.code in Code ? (inner.code as Code) : undefined;
  const code = codeNamed(inner.status) ?? codeNamed(inner.code) ?? numbered ?? codeOfStatus(response.status);
  const texts = [inner.message, inner.detail, inner.title, outer.message];
  const message =
    texts.find((text) => typeof text === "string" && text !== "") ?? `HTTP status ${response.status}`;
  const error = new ConnectError(String(message), code, response.headers);
  const details = Array.isArray(inner.details) ? inner.details : [];
  error.details = [...problemDetailsOf(inner), ...details].flatMap((each) => decodeDetail(each, registry));
  return error;
}

/** The details whose members are in problem details themselves. */
function problemDetailsOf({ reason, domain, metadata, errors }: JsonObject): JsonObject[] {
  const detail = (name: string, members: JsonObject): JsonObject => ({
    "@type": `type.googleapis.com/google.rpc.${name}`,
    ...members,
  });
  return [
    ...(typeof reason === "string"
      ? [detail("ErrorInfo", { reason, domain: domain ?? "", metadata: metadata ?? {} })]
      : []),
    ...(Array.isArray(errors) ? [detail("BadRequest", { fieldViolations: errors })] : []),
  ];
}

/** Throws the error of a call that could not be sent or read. `fetch` and bodies reject with a TypeError if the connection breaks. */
export function throwConnectError(thrown: unknown): never {
  throw thrown instanceof TypeError ? ConnectError.from(thrown, Code.Unavailable) : thrown;
}

/** A detail in the form in which clients of connect-es find it. One of an unknown type must be in base64, as our server sends it. */
function decodeDetail(detail: JsonValue, registry: Registry): ConnectError["details"] {
  const { "@type": url, value: base64 } = objectOf(detail);
  try {
    if (typeof url === "string" && typeof base64 === "string" && !registry.getMessage(typeNameOf(url))) {
      return [{ type: typeNameOf(url), value: base64Decode(base64) }];
    }
    const { typeUrl, value } = fromJson(AnySchema, detail, { registry, ignoreUnknownFields: true });
    return [{ type: typeNameOf(typeUrl), value, debug: detail }];
  } catch {
    return [];
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject((value ?? null) as JsonValue) ? (value as JsonObject) : {};
}
