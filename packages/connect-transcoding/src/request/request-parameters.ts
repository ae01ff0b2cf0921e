import type { JsonValue } from "@bufbuild/protobuf";
import { duplicateMember, hasOneMemberPerColon, isJsonObject } from "../codec/json-object.js";
import {
  abbreviate,
  malformed,
  unsupportedContentEncoding,
  unsupportedMediaType,
} from "../errors/http-error.js";
import { type NameValue, parseFormUrlEncoded } from "./request-path.js";

/** A parameter of a request, named as the caller spelled it. */
export interface Parameter {
  readonly name: string;
  /** A string where the source is text: a path, a query or a form. */
  readonly value: JsonValue;
  readonly source: "text" | "json";
}

/** A parameter's value as text; undefined for an object or an array, which no text stands for. */
export function textOf(value: JsonValue): string | undefined {
  return typeof value === "object" ? undefined : String(value);
}

/** What of a request's head says how to read its body; undefined for a header that was not sent. */
export interface ContentHeaders {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The parameters of a query, which is what follows the `?`. Throws a 400 HttpError for one that is malformed. */
export function queryParameters(query: string): readonly Parameter[] {
  if (query === "") {
    return [];
  }
  const pairs = parseFormUrlEncoded(query);
  if (pairs === undefined) {
    throw malformed(
      "MALFORMED_QUERY",
      "the query has a malformed percent-encoding, or one that is not UTF-8",
    );
  }
  return pairs.map(textParameter);
}

/** The body as JSON; undefined when there is none. Throws an HttpError for another type or malformed JSON. */
export function jsonBody(headers: ContentHeaders, body: Uint8Array): JsonValue | undefined {
  const type = bodyType(headers, body, [JSON_TYPE]);
  return type === undefined ? undefined : parseJson(body);
}

/**
 * The parameters of a body that is a JSON object or, where `acceptForm`, a form. Throws an HttpError for another
 * type (415) or a malformed body (400).
 */
export function bodyParameters(headers: ContentHeaders, body: Uint8Array, acceptForm: boolean): Parameter[] {
  const type = bodyType(headers, body, acceptForm ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE]);
  if (type === undefined) {
    return [];
  }
  if (type === FORM_TYPE) {
    const pairs = parseFormUrlEncoded(decodeUtf8(body));
    if (pairs === undefined) {
      throw malformed(
        "MALFORMED_BODY",
        "the form has a malformed percent-encoding, or one that is not UTF-8",
      );
    }
    return pairs.map(textParameter);
  }
  const value = parseJson(body);
  if (!isJsonObject(value)) {
    throw malformed("MALFORMED_BODY", "the body must be a JSON object");
  }
  const parameters: Parameter[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) {
      parameters.push({ name, value: member, source: "json" });
    }
  }
  return parameters;
}

function textParameter([name, value]: NameValue): Parameter {
  return { name, value, source: "text" };
}

/**
 * Checks a body that is taken as it is (`google.api.HttpBody`) and gives its type, empty where none was sent. Throws a
 * 415 HttpError when it is compressed.
 */
export function rawBodyType({ contentType, contentEncoding }: ContentHeaders): string {
  refuseContentEncoding(contentEncoding);
  return contentType ?? "";
}

function refuseContentEncoding(contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") {
    throw unsupportedContentEncoding();
  }
}

/** The media type of a body that is there; undefined when there is none. */
function bodyType(
  { contentType, contentEncoding }: ContentHeaders,
  body: Uint8Array,
  accepted: readonly string[],
): string | undefined {
  refuseContentEncoding(contentEncoding);
  if (contentType === undefined) {
    if (body.length > 0) {
      throw unsupportedMediaType(accepted);
    }
    return undefined;
  }
  // As most callers write it.
  if (accepted.includes(contentType)) {
    return body.length > 0 ? contentType : undefined;
  }
  // media-type = type "/" subtype *( OWS ";" OWS parameter ), RFC 9110, section 8.3.1.
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const foreignCharset = parameters.some(
    (parameter) => parameter.startsWith("charset=") && !/^charset="?utf-?8"?$/.test(parameter),
  );
  if (!accepted.includes(type) || foreignCharset) {
    throw unsupportedMediaType(accepted);
  }
  return body.length > 0 ? type : undefined;
}

/** Decodes one text after the other: what is not said to be a part of a stream leaves nothing behind. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(body: Uint8Array): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw malformed("MALFORMED_BODY", "the body is not UTF-8");
  }
}

function parseJson(body: Uint8Array): JsonValue {
  const text = decodeUtf8(body);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words quote the body, which can hold a secret.
    throw malformed("MALFORMED_BODY", "the body is not JSON");
  }
  const duplicate = hasOneMemberPerColon(text, value) ? undefined : duplicateMember(text);
  if (duplicate !== undefined) {
    throw malformed("MALFORMED_BODY", `a JSON object has the member '${abbreviate(duplicate)}' twice`);
  }
  return value;
}
