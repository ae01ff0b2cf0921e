import { create, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { fieldParts } from "@utility-tools/http-server/portable";
import { HttpBodySchema } from "../../../gen/google/api/httpbody_pb.js";
import { isJsonObject, type JsonData, type JsonDataObject } from "../../codec/json/data.js";
import { decodeUtf8, parseJson, parseMembers } from "../../codec/json/parser.js";
import { resolveFieldPath } from "../../codec/message-field.js";
import type { FieldViolation } from "../../errors/errors.js";
import {
  abbreviate,
  MAX_GATHERED,
  malformed,
  malformedQuery,
  unsupportedContentEncoding,
  unsupportedMediaType,
} from "../../errors/http-error.js";
import type { ContentRule } from "../rules/binding-group.js";
import type { BodyRule } from "../rules/body-rule.js";
import { type NameValue, parseFormUrlEncoded } from "./request-path.js";

/** A parameter of a request. */
export interface Parameter {
  /** As the client wrote it; empty for a JSON value that is the whole message. */
  readonly name: string;
  /** A string where the source is text: a path, a query or a form. */
  readonly value: JsonData;
  readonly source: "text" | "json";
}

/** The text of a parameter; undefined for an object or an array. */
export function textOf(value: JsonData): string | undefined {
  return typeof value === "object" ? undefined : String(value);
}

/** The headers that describe the body of a request; undefined for a missing one. */
export interface ContentHeaders {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
}

/** The body of a request and the headers that a binding reads. A body that was compressed is inflated, and has no `contentEncoding`. */
export interface RequestContent extends ContentHeaders {
  readonly body: Uint8Array;
  /** The `Accept` header, which can select a representation. */
  readonly accept?: string | undefined;
  /** The `If-Match` header, which can have the entity tag of the resource. */
  readonly ifMatch?: string | undefined;
}

/** The parameters of a request, and violations for parameters that the query must not have. */
export interface RequestParameters {
  readonly parameters: readonly Parameter[];
  readonly misplaced: readonly FieldViolation[];
}

/**
 * Reads the parameters of body and query, in this order. The query can always have `controlNames`, the parameters that
 * select a method or a representation. Throws a ConnectError for a body that cannot be read.
 */
export function readParameters(
  { body, parametersAnywhere }: ContentRule,
  controlNames: ReadonlySet<string>,
  queryText: string,
  content: RequestContent,
): RequestParameters {
  const query = queryParameters(queryText);
  const isNoControl = ({ name }: Parameter): boolean => !controlNames.has(name);
  switch (body.kind) {
    case "none":
      if (content.body.length > 0) {
        throw malformed("BODY_NOT_ALLOWED", "this method takes its parameters from the query and no body");
      }
      return { parameters: query, misplaced: [] };
    case "field": {
      const value = body.raw ? undefined : jsonBody(content, content.body);
      const inBody: Parameter[] =
        value === undefined ? [] : [{ name: body.field.jsonName, value, source: "json" }];
      const misplaced = query.filter((parameter) => {
        const [first = ""] = parameter.name.split(/[.[]/, 1);
        return resolveFieldPath(body.field.parent, first, "jsonName")?.[0] === body.field;
      });
      return withoutMisplaced(query, inBody, misplaced, "it is the body of this method");
    }
    case "value": {
      return withoutMisplaced(
        query,
        wholeMessage(jsonBody(content, content.body)),
        query.filter(isNoControl),
        "the body is all that this method takes",
      );
    }
    case "message": {
      if (body.raw) {
        return withoutMisplaced(
          query,
          [],
          query.filter(isNoControl),
          "the body is all that this method takes",
        );
      }
      const inBody = bodyParameters(content, content.body, parametersAnywhere);
      const misplaced = parametersAnywhere ? [] : query.filter(isNoControl);
      return withoutMisplaced(query, inBody, misplaced, "this method takes its parameters from the body");
    }
  }
}

/** The parameter of a JSON value that is a whole message; none for no value. */
export function wholeMessage(value: JsonData | undefined): readonly Parameter[] {
  return value === undefined ? [] : [{ name: "", value, source: "json" }];
}

/** Joins the parameters of body and query, except misplaced ones, which become violations. */
function withoutMisplaced(
  query: readonly Parameter[],
  inBody: readonly Parameter[],
  misplaced: readonly Parameter[],
  why: string,
): RequestParameters {
  if (misplaced.length === 0) {
    return { parameters: query.length === 0 ? inBody : [...inBody, ...query], misplaced: [] };
  }
  const left = new Set(misplaced);
  return {
    parameters: [...inBody, ...query.filter((parameter) => !left.has(parameter))],
    misplaced: misplaced.slice(0, MAX_GATHERED).map(({ name }) => ({
      field: abbreviate(name),
      reason: "UNKNOWN_PARAMETER",
      description: `is not a query parameter; ${why}`,
    })),
  };
}

/**
 * Sets the `google.api.HttpBody` of a binding with a raw body; does nothing for other bindings. Throws a ConnectError (415)
 * for a compressed body.
 */
export function setRawBody(message: Message, body: BodyRule, content: RequestContent): void {
  if (body.kind === "none" || !body.raw) {
    return;
  }
  rejectContentEncoding(content.contentEncoding, "gzip");
  const httpBody = { contentType: content.contentType ?? "", data: content.body };
  if (body.kind === "message") {
    Object.assign(message, httpBody);
  } else {
    reflect(body.field.parent, message, false).set(
      body.field,
      reflect(HttpBodySchema, create(HttpBodySchema, httpBody), false),
    );
  }
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Reads the parameters of a query, without its `?`. Throws a ConnectError (400) if it is malformed. */
function queryParameters(query: string): readonly Parameter[] {
  if (query === "") {
    return [];
  }
  const pairs = parseFormUrlEncoded(query);
  if (pairs === undefined) {
    throw malformedQuery();
  }
  return pairs.map(textParameter);
}

/** Reads a JSON body; undefined without one. Throws a ConnectError for another media type (415) or malformed JSON (400). */
function jsonBody(headers: ContentHeaders, body: Uint8Array): JsonData | undefined {
  const type = bodyType(headers, body, [JSON_TYPE]);
  return type === undefined ? undefined : parseJson(body);
}

/**
 * Reads the parameters of a body that is a JSON object or, with `acceptForm`, a form. Throws a ConnectError for another
 * media type (415) or a malformed body (400).
 */
function bodyParameters(headers: ContentHeaders, body: Uint8Array, acceptForm: boolean): Parameter[] {
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
  const { value, names } = parseMembers(body);
  if (!isJsonObject(value)) {
    throw malformed("MALFORMED_BODY", "the body must be a JSON object");
  }
  return memberParameters(value, names);
}

/** The members of a JSON object as parameters. */
export function memberParameters(
  object: JsonDataObject,
  names: readonly string[] = Object.keys(object),
): Parameter[] {
  const parameters: Parameter[] = [];
  for (const name of names) {
    const member = object[name];
    if (member !== undefined) {
      parameters.push({ name, value: member, source: "json" });
    }
  }
  return parameters;
}

function textParameter([name, value]: NameValue): Parameter {
  return { name, value, source: "text" };
}

/** The content codings of a body, in the order in which they were applied. */
export function contentCodingsOf(contentEncoding: string): string[] {
  // Empty elements of a list do not count (RFC 9110, section 5.6.1.2).
  return fieldParts(contentEncoding, ",").filter((coding) => !/^(?:identity)?$/i.test(coding));
}

/** Throws a ConnectError (415) for a body that is compressed. `accepted` is what it may have been in the request. */
export function rejectContentEncoding(
  contentEncoding: string | undefined,
  accepted: "gzip" | "identity",
): void {
  if (contentEncoding !== undefined && contentCodingsOf(contentEncoding).length > 0) {
    throw unsupportedContentEncoding(accepted);
  }
}

/** A media type with the structured syntax suffix for JSON (RFC 6839, section 3.1), such as `application/merge-patch+json`. */
const JSON_SUFFIX = /^application\/[!#$%&'*+\-.^_`|~0-9a-z]+\+json$/;

/**
 * The media type of a body; undefined for an empty one. Types with the suffix `+json` are returned as JSON. Throws a
 * ConnectError (415) for a type that is not accepted.
 */
function bodyType(
  { contentType, contentEncoding }: ContentHeaders,
  body: Uint8Array,
  accepted: readonly string[],
): string | undefined {
  rejectContentEncoding(contentEncoding, "gzip");
  if (contentType === undefined) {
    if (body.length > 0) {
      throw unsupportedMediaType(accepted);
    }
    return undefined;
  }
  const type = mediaTypeOf(contentType, accepted);
  return body.length > 0 ? type : undefined;
}

/** The media type in a `Content-Type` header. Throws a ConnectError (415) for a type that is not accepted. */
export function mediaTypeOf(contentType: string, accepted: readonly string[]): string {
  // The common case.
  if (accepted.includes(contentType)) {
    return contentType;
  }
  const essence = utf8TypeOf(contentType) ?? "";
  const type = JSON_SUFFIX.test(essence) ? JSON_TYPE : essence;
  if (!accepted.includes(type)) {
    throw unsupportedMediaType(accepted);
  }
  return type;
}

/** The media type in a `Content-Type` header in lower case, without its parameters; undefined for another charset than UTF-8. */
export function utf8TypeOf(contentType: string): string | undefined {
  // media-type = type "/" subtype *( OWS ";" OWS [ parameter ] ), RFC 9110, sections 5.6.6 and 8.3.1.
  const [essence, ...parameters] = fieldParts(contentType.toLowerCase(), ";");
  const isForeign = parameters.some(
    (parameter) => parameter.startsWith("charset=") && !/^charset="?utf-?8"?$/.test(parameter),
  );
  return isForeign ? undefined : essence;
}
