import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import {
  choiceParameters,
  enumValueName,
  type HttpBinding,
  httpBodyReader,
  queryParameters,
  readHttpBindings,
  responseBodyOf,
} from "connect-transcoding/rules";

/** A request of a method over plain HTTP. */
export interface HttpRequest {
  /** The HTTP method. */
  readonly httpMethod: string;
  /** Path and query, percent-encoded, with a leading slash. */
  readonly target: string;
  /** The JSON body; undefined without one. */
  readonly body: JsonObject | undefined;
}

/**
 * Returns the first HTTP binding of a method. Throws an Error for a method without one, and for a path template with
 * variables, which no method of this service has.
 */
export function bindingOf(method: DescMethod): HttpBinding {
  const [binding] = readHttpBindings(method);
  if (binding === undefined || binding.template.variables.length > 0) {
    throw new Error(
      `${method.parent.typeName}.${method.name} needs a google.api.http path without variables`,
    );
  }
  return binding;
}

/**
 * Converts a request message to plain HTTP. Query or body, depending on the binding, contain the fields that are set, the
 * parameters that select the method, and the one that selects JSON for the response.
 */
export function httpRequestOf<Desc extends DescMessage>(
  method: DescMethod & { readonly input: Desc },
  message: MessageShape<Desc>,
): HttpRequest {
  const binding = bindingOf(method);
  const { httpMethod, template, body, options } = binding;
  const fields = toJson(method.input, message) as JsonObject;
  if (body.kind === "message" && options.parametersAnywhere) {
    const chosen = Object.fromEntries(choiceParameters(options));
    return { httpMethod, target: template.source, body: { ...chosen, ...fields } };
  }
  const inBody = body.kind === "message" ? fields : body.kind === "field" ? fields[body.field.jsonName] : {};
  const query = queryParameters(binding, fields)
    .map((pair) => pair.map(percentEncode).join("="))
    .join("&");
  return {
    httpMethod,
    target: query === "" ? template.source : `${template.source}?${query}`,
    body: body.kind === "none" ? undefined : ((inBody ?? {}) as JsonObject),
  };
}

/**
 * Percent-encodes a query parameter, including the characters that `encodeURIComponent` leaves alone but shells interpret.
 * A lone surrogate becomes U+FFFD, as in UTF-8.
 */
function percentEncode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A response over plain HTTP: JSON text, or bytes of some media type. */
export type RestResponse =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "bytes"; readonly contentType: string; readonly data: Uint8Array };

/** Converts a response message to plain HTTP. JSON is indented and includes fields with default values. */
export function restResponse<Desc extends DescMessage>(
  method: DescMethod & { readonly output: Desc },
  message: MessageShape<Desc>,
): RestResponse {
  const { kind, field } = responseBodyOf(bindingOf(method));
  if (kind === "bytes") {
    return { kind: "bytes", ...httpBodyReader(field)(message) };
  }
  const json = toJson(method.output, message, { alwaysEmitImplicit: true });
  const named = withHttpValues(method.output, json) as JsonObject;
  return { kind: "json", text: JSON.stringify(field === undefined ? named : named[field.jsonName], null, 2) };
}

/** Replaces the names of enum values in the JSON of a message by their `http_value`. */
function withHttpValues(desc: DescMessage, json: JsonValue): JsonValue {
  if (!isObject(json)) {
    return json;
  }
  const fields = new Map(desc.fields.map((field) => [field.jsonName, field]));
  return mapValues(json, (value, name) => {
    const field = fields.get(name);
    const convert = (item: JsonValue) => (field === undefined ? item : withHttpValue(field, item));
    if (Array.isArray(value)) {
      return value.map(convert);
    }
    return field?.fieldKind === "map" && isObject(value) ? mapValues(value, convert) : convert(value);
  });
}

function withHttpValue({ enum: desc, message }: DescField, json: JsonValue): JsonValue {
  if (message !== undefined) {
    return withHttpValues(message, json);
  }
  const value = desc?.values.find(({ name }) => name === json);
  return (value && enumValueName(value)) ?? json;
}

const isObject = (json: JsonValue): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

function mapValues(json: JsonObject, convert: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, convert(value, name)]));
}

/**
 * Returns a name for the file in the response of a method; undefined if the response is JSON. The extension is the media type
 * that an enum parameter of the request selects, or the first media type of the method, which is the default.
 */
export function fileNameOf(method: DescMethod, { target }: HttpRequest): string | undefined {
  const binding = bindingOf(method);
  if (responseBodyOf(binding).kind !== "bytes") {
    return undefined;
  }
  const query = new URLSearchParams(target.slice(target.indexOf("?")));
  const enums = method.input.fields.filter((field) => field.enum !== undefined);
  const chosen = enums.map(({ jsonName }) => query.get(jsonName));
  const extensions = binding.options.mediaTypes.map((type) => /\/([a-z\d]+)/.exec(type)?.[1] ?? "bin");
  const extension = extensions.find((each) => chosen.includes(each)) ?? extensions[0] ?? "bin";
  return `${method.parent.name.replace(/Service$/, "").toLowerCase()}.${extension}`;
}
