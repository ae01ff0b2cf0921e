import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type HttpOptions,
  HttpOptionsSchema,
  http as httpOptions,
} from "../../gen/connecttranscoding/v1/options_pb.js";
import { http as httpRuleOption } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { hasOwnForm } from "../codec/well-known-types.js";
import { type FieldPath, methodName, protoPath, resolveFieldPath } from "./field-path.js";
import { type PathTemplate, parsePathTemplate } from "./path-template.js";
import { answerBodyOf, isHttpBody } from "./response-body.js";

/**
 * Where the body of a request goes: nowhere, into the whole message, or into one field. `raw`: what it goes into is a
 * `google.api.HttpBody`, which takes the octets as they are.
 */
export type BodyRule =
  | { readonly kind: "none" }
  | { readonly kind: "message"; readonly raw: boolean }
  | { readonly kind: "field"; readonly field: DescField; readonly raw: boolean };

/** A method that JSON over HTTP can carry: one message in, one or a stream of them out. */
export type HttpMethodDesc = DescMethodUnary | DescMethodServerStreaming;

/** One way to reach a method over HTTP: a verb and a template, and how message and HTTP map. */
export interface HttpBinding {
  readonly method: HttpMethodDesc;
  /** The HTTP method, in upper case. */
  readonly verb: string;
  readonly template: PathTemplate;
  readonly body: BodyRule;
  /** The field that is the answer's body; undefined when the whole message is. */
  readonly responseBody: DescField | undefined;
  readonly surface: HttpOptions;
}

/**
 * Reads the bindings of a method from its `google.api.http` rule, the additional ones included; none when it
 * has no rule. Throws an Error that names the method when the rule contradicts the method's messages.
 * https://google.aip.dev/127
 */
export function readHttpBindings(method: DescMethod): HttpBinding[] {
  if (!hasOption(method, httpRuleOption)) {
    return [];
  }
  try {
    if (!isHttpMethod(method)) {
      throw new Error("a method that takes a stream cannot have a google.api.http rule");
    }
    const rule = getOption(method, httpRuleOption);
    const surface = hasOption(method, httpOptions)
      ? getOption(method, httpOptions)
      : create(HttpOptionsSchema);
    for (const additional of rule.additionalBindings) {
      if (additional.additionalBindings.length > 0) {
        throw new Error("additional_bindings cannot be nested");
      }
    }
    return [rule, ...rule.additionalBindings].map((each) => readBinding(method, each, surface));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${methodName(method)}: ${problem}`, { cause });
  }
}

function isHttpMethod(method: DescMethod): method is HttpMethodDesc {
  return method.methodKind === "unary" || method.methodKind === "server_streaming";
}

function readBinding(method: HttpMethodDesc, rule: HttpRule, surface: HttpOptions): HttpBinding {
  const { verb, path } = readPattern(rule);
  const template = parsePathTemplate(path);
  const body = readBody(method, rule, verb);
  checkPathVariables(method.input, template, body);
  const responseBody =
    rule.responseBody === "" ? undefined : ownField(method.output.fields, rule.responseBody, "response_body");
  for (const { textField } of surface.representation?.choices ?? []) {
    if (textField !== "" && !isString(ownField(method.output.fields, textField, "text_field"))) {
      throw new Error(`text_field names '${textField}', which is no string`);
    }
  }
  if (method.methodKind === "server_streaming") {
    const isJson = answerBodyOf({ method, responseBody }).kind === "json";
    if (!isJson || surface.representation !== undefined) {
      throw new Error("a method that answers with a stream can only answer with JSON");
    }
  }
  return { method, verb, template, body, responseBody, surface };
}

function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function readPattern({ pattern }: HttpRule): { verb: string; path: string } {
  switch (pattern.case) {
    case undefined:
      throw new Error("the google.api.http rule has no path");
    case "custom":
      return { verb: readCustomVerb(pattern.value.kind), path: pattern.value.path };
    default:
      return { verb: pattern.case.toUpperCase(), path: pattern.value };
  }
}

/** A method is a token (RFC 9110, section 9.1); `*` stands for all of them. */
function readCustomVerb(kind: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(kind)) {
    throw new Error(`'${kind}' is no HTTP method`);
  }
  const verb = kind.toUpperCase();
  if (verb === "OPTIONS") {
    throw new Error("OPTIONS is answered from the routes and cannot be one");
  }
  return verb;
}

function readBody(method: HttpMethodDesc, rule: HttpRule, verb: string): BodyRule {
  if (rule.body === "") {
    return { kind: "none" };
  }
  if (verb === "GET" || verb === "HEAD") {
    throw new Error(`a ${verb.toLowerCase()} rule cannot have a body`);
  }
  if (rule.body === "*") {
    if (hasOwnForm(method.input)) {
      throw new Error(`${method.input.typeName} has a JSON form of its own and cannot be the body`);
    }
    return { kind: "message", raw: isHttpBody(method.input) };
  }
  const field = ownField(method.input.fields, rule.body, "body");
  return { kind: "field", field, raw: field.fieldKind === "message" && isHttpBody(field.message) };
}

function ownField(fields: readonly DescField[], name: string, what: string): DescField {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) {
    throw new Error(`${what} names '${name}', which is no field of the message`);
  }
  return field;
}

/**
 * Checks that a template's variables are scalar or enum fields of the request, each its own, that a request can have
 * together, and that the body does not fill them as well. Throws an Error that names the field otherwise.
 */
export function checkPathVariables(input: DescMessage, { variables }: PathTemplate, body: BodyRule): void {
  const paths = variables.map(({ fieldPath }) => resolveVariable(input, fieldPath));
  for (const [index, path] of paths.entries()) {
    const name = protoPath(path);
    for (const other of paths.slice(0, index)) {
      if (protoPath(other) === name) {
        throw new Error(`the path binds '${name}' twice`);
      }
      if (excludeOneAnother(path, other)) {
        throw new Error(
          `the path binds '${protoPath(other)}' and '${name}', of which a request can have one`,
        );
      }
    }
    const bodyFillsAll = body.kind === "message" && body.raw;
    const bodyFillsIt = body.kind === "field" && body.field === path[0] && (body.raw || path.length === 1);
    if (bodyFillsAll || bodyFillsIt) {
      throw new Error(`the path binds '${name}', which the body fills`);
    }
  }
}

function resolveVariable(input: DescMessage, fieldPath: string): FieldPath {
  const path = resolveFieldPath(input, fieldPath);
  const leaf = path?.at(-1);
  if (path === undefined || leaf === undefined) {
    throw new Error(`the path binds '${fieldPath}', which is no field of ${input.typeName}`);
  }
  if (leaf.fieldKind !== "scalar" && leaf.fieldKind !== "enum") {
    throw new Error(`the path binds '${fieldPath}', which is no single scalar or enum value`);
  }
  return path;
}

/** Whether two paths part at two fields of one oneof. */
function excludeOneAnother(a: FieldPath, b: FieldPath): boolean {
  const index = a.findIndex((field, position) => field !== b[position]);
  const [first, second] = [a[index], b[index]];
  return first?.oneof !== undefined && first.oneof === second?.oneof;
}
