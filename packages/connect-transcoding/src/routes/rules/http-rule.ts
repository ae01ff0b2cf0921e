import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import type { HttpOptions } from "../../../gen/connecttranscoding/v1/options_pb.js";
import { http as httpRuleOption } from "../../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../../gen/google/api/http_pb.js";
import { HttpBodySchema } from "../../../gen/google/api/httpbody_pb.js";
import {
  type FieldPath,
  type MessageInit,
  placeOf,
  protoPath,
  readField,
  resolveFieldPath,
} from "../../codec/message-field.js";
import { hasOwnForm } from "../../codec/value-parser.js";
import { httpOptionsOf } from "../../proto-options.js";
import type { BodyRule } from "./body-rule.js";
import { type PathTemplate, parsePathTemplate } from "./path-template.js";
import { checkPathVariables, excludeEachOther, withFieldPaths } from "./path-variables.js";

/** Whether requests of a method are a stream of messages. */
export function takesStream({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

/** Whether responses of a method are a stream of messages. */
export function givesStream({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

/** One `google.api.http` rule of a method: an HTTP method and a path template, and the mapping of the messages. */
export interface HttpBinding {
  readonly method: DescMethod;
  /** In upper case; `*` for a rule that accepts every HTTP method. */
  readonly httpMethod: string;
  readonly template: PathTemplate;
  readonly body: BodyRule;
  /** The field that is the response body; undefined for the whole message. */
  readonly responseBody: DescField | undefined;
  readonly options: HttpOptions;
}

/**
 * Reads the bindings of a method from its `google.api.http` rule and the additional bindings in it; empty for a method
 * without a rule. Throws an Error that names the method if the rule contradicts the messages of the method.
 * https://google.aip.dev/127
 */
export function readHttpBindings(method: DescMethod): HttpBinding[] {
  return bindingsOf(method, ruleInFile(method), httpOptionsOf(method));
}

/** The `google.api.http` rule of a method in its proto file; undefined without one. */
export function ruleInFile(method: DescMethod): HttpRule | undefined {
  return hasOption(method, httpRuleOption) ? getOption(method, httpRuleOption) : undefined;
}

/**
 * Reads the bindings of a method from a rule. `onInvalid` is called with an Error that names the method for each binding
 * that contradicts the messages of the method; the others are returned. By default, it is thrown.
 */
export function bindingsOf(
  method: DescMethod,
  rule: HttpRule | undefined,
  options: HttpOptions,
  onInvalid: (error: Error) => void = (error) => {
    throw error;
  },
): HttpBinding[] {
  if (rule === undefined) {
    return [];
  }
  return [rule, ...rule.additionalBindings].flatMap((each) => {
    try {
      if (each !== rule && each.additionalBindings.length > 0) {
        throw new Error("additional_bindings cannot be nested");
      }
      return [readBinding(method, each, options)];
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      onInvalid(new Error(`${methodName(method)}: ${problem}`, { cause }));
      return [];
    }
  });
}

function readBinding(method: DescMethod, rule: HttpRule, options: HttpOptions): HttpBinding {
  const { httpMethod, path } = readPattern(rule);
  const template = withFieldPaths(parsePathTemplate(path), method.input);
  const body = readBody(method, rule, httpMethod);
  checkPathVariables(method.input, template, body);
  const responseBody =
    rule.responseBody === "" ? undefined : ownField(method.output.fields, rule.responseBody, "response_body");
  for (const { textField } of options.representation?.choices ?? []) {
    if (textField !== "" && !isString(ownField(method.output.fields, textField, "text_field"))) {
      throw new Error(`text_field names '${textField}', which is not a string`);
    }
  }
  if (givesStream(method) && options.representation !== undefined) {
    throw new Error("a method that responds with a stream cannot have a representation");
  }
  if (takesStream(method)) {
    checkRequestStream(body, options);
  }
  return { method, httpMethod, template, body, responseBody, options };
}

/** Checks the rule of a method that takes a stream: no single message has parameters that select something. */
function checkRequestStream(
  body: BodyRule,
  { select, representation, parametersAnywhere }: HttpOptions,
): void {
  if (body.kind === "none") {
    throw new Error("a method that takes a stream needs a body");
  }
  if (select.length > 0 || representation !== undefined || parametersAnywhere) {
    throw new Error("a method that takes a stream cannot have select, representation or parameters_anywhere");
  }
}

function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function readPattern({ pattern }: HttpRule): { httpMethod: string; path: string } {
  switch (pattern.case) {
    case undefined:
      throw new Error("the google.api.http rule has no path");
    case "custom":
      return { httpMethod: readCustomKind(pattern.value.kind), path: pattern.value.path };
    default:
      return { httpMethod: pattern.case.toUpperCase(), path: pattern.value };
  }
}

/** The kind of a custom pattern: an HTTP method, which is a token (RFC 9110, section 9.1), or `*` for all of them. */
function readCustomKind(kind: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(kind)) {
    throw new Error(`'${kind}' is not an HTTP method`);
  }
  return kind.toUpperCase();
}

function readBody(method: DescMethod, rule: HttpRule, httpMethod: string): BodyRule {
  const cannotHaveBody = httpMethod === "GET" || httpMethod === "HEAD";
  // A stream has no place but the body: without `body`, grpc-gateway and Envoy read its messages there as well.
  const source = rule.body === "" && takesStream(method) && !cannotHaveBody ? "*" : rule.body;
  if (source === "") {
    return { kind: "none" };
  }
  if (cannotHaveBody) {
    throw new Error(`a ${httpMethod.toLowerCase()} rule cannot have a body`);
  }
  if (source === "*") {
    return hasOwnForm(method.input)
      ? { kind: "value", raw: false }
      : { kind: "message", raw: isHttpBody(method.input) };
  }
  const field = ownField(method.input.fields, source, "body");
  return { kind: "field", field, raw: field.fieldKind === "message" && isHttpBody(field.message) };
}

function ownField(fields: readonly DescField[], name: string, what: string): DescField {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) {
    throw new Error(`${what} names '${name}', which is not a field of the message`);
  }
  return field;
}

/** The source of a response body. Without a field, it is the whole message. */
export type ResponseBody =
  /** A string field, as plain text. */
  | { readonly kind: "text"; readonly field: DescField }
  /** The content of a `google.api.HttpBody`. */
  | { readonly kind: "bytes"; readonly field: DescField | undefined }
  /** ProtoJSON. */
  | { readonly kind: "json"; readonly field: DescField | undefined };

/**
 * The source of the response body of a binding. `textField` is the text field of the chosen representation; undefined
 * or empty for the message or its `response_body`.
 */
export function responseBodyOf(
  { method: { output }, responseBody }: Pick<HttpBinding, "method" | "responseBody">,
  textField?: string,
): ResponseBody {
  const text = output.fields.find(({ name }) => name === textField);
  if (text !== undefined) {
    return { kind: "text", field: text };
  }
  const isBytes =
    responseBody === undefined
      ? isHttpBody(output)
      : responseBody.fieldKind === "message" && isHttpBody(responseBody.message);
  return { kind: isBytes ? "bytes" : "json", field: responseBody };
}

/** Returns a function that reads a string field; empty where the message does not have it. */
export function responseTextReader(field: DescField): (message: MessageInit) => string {
  const place = placeOf(field);
  return (message) => String(readField(place, message) ?? "");
}

/** The content of a `google.api.HttpBody`. */
export interface HttpBodyContent {
  readonly contentType: string;
  readonly data: Uint8Array;
}

function isHttpBody(desc: DescMessage | undefined): boolean {
  return desc?.typeName === HttpBodySchema.typeName;
}

/** Returns a function that reads the `google.api.HttpBody` in a field, or the message itself without a field. */
export function httpBodyReader(field: DescField | undefined): (message: MessageInit) => HttpBodyContent {
  const place = field && placeOf(field);
  return (message) => {
    const body = place === undefined ? message : readField(place, message);
    const { contentType, data } = (body ?? {}) as Partial<HttpBodyContent>;
    return { contentType: contentType ?? "", data: data ?? NO_BYTES };
  };
}

const NO_BYTES = new Uint8Array();

/** The fields that the path of a binding sets, each with those around it. */
export function pathFields({ method, template }: Pick<HttpBinding, "method" | "template">): FieldPath[] {
  return template.variables.flatMap(({ fieldPath }) => {
    const path = resolveFieldPath(method.input, fieldPath);
    return path === undefined ? [] : [path];
  });
}

/** Whether a parameter can set a field: the path does not set it, nor another field of its oneof. */
export function isFree(path: FieldPath, bound: readonly FieldPath[]): boolean {
  return !bound.some((each) => protoPath(each) === protoPath(path) || excludeEachOther(each, path));
}

/** The fields of the request message that are free for parameters, and that no body field sets. */
export function parameterFields({ method, template, body }: HttpBinding): DescField[] {
  const bound = pathFields({ method, template });
  return method.input.fields.filter(
    (field) => isFree([field], bound) && !(body.kind === "field" && body.field === field),
  );
}

/** The full name of a method, for example `library.v1.LibraryService.GetBook`. */
export function methodName({ parent, name }: DescMethod): string {
  return `${parent.typeName}.${name}`;
}
