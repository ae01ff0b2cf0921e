import { fromJson, type JsonObject, type JsonValue, type Registry, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeNamed, codeOfStatus } from "../errors/codes.js";

/**
 * Decodes an error: as in AIP-193, a `google.rpc.Status` as grpc-gateway and Envoy send it, problem details (RFC 9457), or any other body,
 * for which the status decides. `headers` become its metadata.
 */
export function decodeError(
  status: number,
  body: JsonValue | undefined,
  headers: Headers,
  registry: Registry,
): ConnectError {
  const outer = objectOf(body);
  // In a stream, grpc-gateway wraps the status in `error` as well.
  const inner = typeof outer.error === "object" ? objectOf(outer.error) : outer;
  const numbered = typeof inner.code === "number" && inner.code in Code ? (inner.code as Code) : undefined;
  const code = codeNamed(inner.status) ?? codeNamed(inner.code) ?? numbered ?? codeOfStatus(status);
  const texts = [inner.message, inner.detail, inner.title, outer.message];
  const message = texts.find((text) => typeof text === "string" && text !== "") ?? `HTTP status ${status}`;
  const error = new ConnectError(String(message), code, headers);
  const details = Array.isArray(inner.details) ? inner.details : [];
  error.details = details.flatMap((detail) => decodeDetail(objectOf(detail), registry));
  return error;
}

/** A detail of a known type, in the form in which clients of connect-es find it. */
function decodeDetail({ "@type": url, ...debug }: JsonObject, registry: Registry): ConnectError["details"] {
  const type = typeof url === "string" ? url.slice(url.lastIndexOf("/") + 1) : "";
  const desc = registry.getMessage(type);
  if (desc === undefined) {
    return [];
  }
  try {
    const message = fromJson(desc, debug, { registry, ignoreUnknownFields: true });
    return [{ type, value: toBinary(desc, message), debug }];
  } catch {
    return [];
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
