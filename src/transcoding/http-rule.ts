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
import { http as httpRuleOption } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import {
  type HttpSurface,
  HttpSurfaceSchema,
  http as httpSurfaceOption,
} from "../../gen/utilitytools/transcoding/v1/transcoding_pb.js";
import { resolveFieldPath } from "./field-path.js";
import { type PathTemplate, parsePathTemplate } from "./path-template.js";

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
  readonly surface: HttpSurface;
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
    const surface = hasOption(method, httpSurfaceOption)
      ? getOption(method, httpSurfaceOption)
      : create(HttpSurfaceSchema);
    for (const additional of rule.additionalBindings) {
      if (additional.additionalBindings.length > 0) {
        throw new Error("additional_bindings cannot be nested");
      }
    }
    return [rule, ...rule.additionalBindings].map((each) => readBinding(method, each, surface));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${method.parent.typeName}.${method.name}: ${problem}`, { cause });
  }
}

function isHttpMethod(method: DescMethod): method is HttpMethodDesc {
  return method.methodKind === "unary" || method.methodKind === "server_streaming";
}

/** Whether a message type is `google.api.HttpBody`. */
export function isHttpBody(desc: DescMessage | undefined): boolean {
  return desc?.typeName === HttpBodySchema.typeName;
}

function readBinding(method: HttpMethodDesc, rule: HttpRule, surface: HttpSurface): HttpBinding {
  const { verb, path } = readPattern(rule);
  const template = parsePathTemplate(path);
  for (const { fieldPath } of template.variables) {
    const leaf = resolveFieldPath(method.input, fieldPath)?.at(-1);
    if (leaf === undefined) {
      throw new Error(`the path binds '${fieldPath}', which is no field of ${method.input.typeName}`);
    }
    if (leaf.fieldKind !== "scalar" && leaf.fieldKind !== "enum") {
      throw new Error(`the path binds '${fieldPath}', which is no single scalar or enum value`);
    }
  }
  const responseBody =
    rule.responseBody === "" ? undefined : ownField(method.output.fields, rule.responseBody, "response_body");
  for (const { textField } of surface.representation?.choices ?? []) {
    if (textField !== "" && !isString(ownField(method.output.fields, textField, "text_field"))) {
      throw new Error(`text_field names '${textField}', which is no string`);
    }
  }
  if (method.methodKind === "server_streaming") {
    const isRaw = isHttpBody(responseBody?.message ?? method.output);
    if (isRaw || surface.representation !== undefined) {
      throw new Error("a method that answers with a stream can only answer with JSON");
    }
  }
  return { method, verb, template, body: readBody(method, rule, verb), responseBody, surface };
}

function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function readPattern({ pattern }: HttpRule): { verb: string; path: string } {
  switch (pattern.case) {
    case undefined:
      throw new Error("the google.api.http rule has no path");
    case "custom":
      return { verb: pattern.value.kind.toUpperCase(), path: pattern.value.path };
    default:
      return { verb: pattern.case.toUpperCase(), path: pattern.value };
  }
}

function readBody(method: HttpMethodDesc, rule: HttpRule, verb: string): BodyRule {
  if (rule.body === "") {
    return { kind: "none" };
  }
  if (verb === "GET") {
    throw new Error("a get rule cannot have a body");
  }
  if (rule.body === "*") {
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
