import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { isJsonObject } from "../codec/json/data.js";
import { fieldsByName } from "../codec/json/members.js";
import { hasOwnForm, typeNameOf } from "../codec/value-parser.js";
import { codeNamed, codeOfStatus } from "../errors/codes.js";

/**
 * Decodes an error: as in AIP-193, a `google.rpc.Status` as grpc-gateway and Envoy send it, problem details (RFC 9457), or any other body,
 * for which the status decides. The headers become its metadata.
 */
export function decodeError(response: Response, body: unknown, registry: Registry): ConnectError {
  // Google's APIs answer a call of a stream with the error as the only element of an array.
  const outer = objectOf(Array.isArray(body) ? body[0] : body);
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

/**
 * A detail in the form in which clients of connect-es find it. Servers send one that JSON cannot express, and one of a type that they do not
 * know, as its bytes in base64.
 */
function decodeDetail(detail: JsonValue, registry: Registry): ConnectError["details"] {
  const { "@type": url, value: text, ...others } = objectOf(detail);
  const type = typeof url === "string" ? typeNameOf(url) : "";
  const desc = registry.getMessage(type);
  const bytes = typeof text === "string" && Object.keys(others).length === 0 ? bytesIn(text) : undefined;
  try {
    if (desc !== undefined && !(bytes !== undefined && mustBePacked(desc, bytes, registry))) {
      const { value } = fromJson(AnySchema, detail, { registry, ignoreUnknownFields: true });
      return [{ type, value, debug: detail }];
    }
  } catch {
    // It may be in base64.
  }
  return bytes === undefined || type === "" ? [] : [{ type, value: bytes }];
}

/** Whether a text cannot be the JSON of a message: it has no member `value`, or the bytes are a message that JSON cannot express. */
function mustBePacked(desc: DescMessage, bytes: Uint8Array, registry: Registry): boolean {
  if (!hasOwnForm(desc) && !fieldsByName(desc).has("value")) {
    return true;
  }
  let message: Message;
  try {
    message = fromBinary(desc, bytes);
  } catch {
    return false;
  }
  try {
    toJson(desc, message, { registry });
    return false;
  } catch {
    return bytes.length > 0;
  }
}

/** The bytes of a text in base64; undefined for another one. */
function bytesIn(text: string): Uint8Array | undefined {
  try {
    return base64Decode(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject((value ?? null) as JsonValue) ? (value as JsonObject) : {};
}
