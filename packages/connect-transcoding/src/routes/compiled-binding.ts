import type { DescMessage } from "@bufbuild/protobuf";
import type { JsonForm } from "../codec/json/form.js";
import { jsonPath, protoPath, resolveFieldPath } from "../codec/message-field.js";
import { type FindMissing, missingFields } from "../codec/required-fields.js";
import { hasOwnForm } from "../codec/value-parser.js";
import { entityTagField } from "./binding/entity-tag-field.js";
import { type BindingOptions, createMessageBinder, type MessageBinder } from "./binding/message-binder.js";
import { type PrepareUpdateMask, updateMaskOf } from "./binding/update-mask.js";
import { createResponseEncoder, type ResponseEncoder, successStatus } from "./encoding/response-encoder.js";
import { type HttpBinding, methodName, type ResponseBody, responseBodyOf } from "./rules/http-rule.js";
import type { TemplateVariable } from "./rules/path-template.js";

/** How the methods at an HTTP method and path are compiled. */
export interface MethodGroupOptions extends BindingOptions {
  /** The form of JSON responses. */
  readonly json?: JsonForm | undefined;
  /** Whether requests can have the system parameters of Google's APIs. */
  readonly systemParameters?: boolean | undefined;
  /** What to do with a body where the rule has none. Default: `reject`. */
  readonly unexpectedBodies?: "reject" | "ignore" | undefined;
  /** What to do with a body without `Content-Type`. Default: `reject`. */
  readonly untypedBodies?: "reject" | "json" | undefined;
  /** Whether masks of updates are checked, and filled from the body of a PATCH request that has none. Default: `fill`. */
  readonly updateMasks?: "fill" | "leave" | undefined;
}

/** A binding with everything that its requests and responses need. */
export interface CompiledBinding {
  readonly binding: HttpBinding;
  readonly binder: MessageBinder;
  readonly captures: readonly Capture[];
  readonly responseKind: ResponseBody["kind"];
  readonly status: number;
  /** The encoders by the value of the representation parameter; the default has the key undefined. */
  readonly encoders: ReadonlyMap<string | undefined, EncoderPair>;
  /** The message in JSON responses; undefined for none. */
  readonly output: DescMessage | undefined;
  /** The name of the field for the entity tag in `If-Match`; undefined without one. */
  readonly entityTag: string | undefined;
  readonly prepareUpdateMask: PrepareUpdateMask | undefined;
  readonly findMissing: FindMissing | undefined;
  /** The representation parameter; undefined for a single representation. */
  readonly representation: string | undefined;
}

/** A variable of a path, and its parameter: one for each element of a list. */
export interface Capture {
  readonly variable: TemplateVariable;
  readonly name: string;
  readonly isList: boolean;
}

/** The encoder of a representation, and the one that writes enums as numbers, which few requests ask for. */
export interface EncoderPair {
  readonly usual: ResponseEncoder;
  readonly withNumbers: () => ResponseEncoder;
}

/** Compiles a binding. Throws an Error that names the method for a representation that no request can select. */
export function compileBinding(binding: HttpBinding, options: MethodGroupOptions): CompiledBinding {
  const { registry, unknownParameters, mapParameters, json, updateMasks = "fill" } = options;
  const binder = createMessageBinder(binding.method.input, { registry, unknownParameters, mapParameters });
  const { kind: responseKind, field } = responseBodyOf(binding);
  const message = field === undefined ? binding.method.output : field.message;
  const isMessage = responseKind === "json" && field?.fieldKind !== "map" && message !== undefined;
  const shared = {
    binding,
    binder,
    captures: binding.template.variables.map((variable) => captureOf(binding, variable)),
    responseKind,
    status: successStatus(binding),
    output: isMessage && !hasOwnForm(message) ? message : undefined,
    entityTag: entityTagField(binding),
    prepareUpdateMask: updateMasks === "fill" ? updateMaskOf(binding, options.unknownParameters) : undefined,
    findMissing: missingFields(binding.method.input, "jsonName"),
  };
  const encoders = new Map<string | undefined, EncoderPair>();
  const pairOf = (textField: string | undefined): EncoderPair => {
    let withNumbers: ResponseEncoder | undefined;
    return {
      usual: createResponseEncoder(binding, textField, registry, json),
      withNumbers: () => {
        withNumbers ??= createResponseEncoder(binding, textField, registry, { ...json, enums: "numbers" });
        return withNumbers;
      },
    };
  };
  const { representation } = binding.options;
  if (representation === undefined) {
    encoders.set(undefined, pairOf(undefined));
    return { ...shared, encoders, representation: undefined };
  }
  const { parameter, choices } = representation;
  if (
    parameter === "" ||
    choices.length === 0 ||
    binder.hasField({ name: parameter, value: "", source: "text" })
  ) {
    const problem = "a representation needs choices and a parameter that is not a field";
    throw new Error(`${methodName(binding.method)}: ${problem}`);
  }
  for (const { value, textField } of choices) {
    const encoder = pairOf(textField === "" ? undefined : textField);
    encoders.set(value, encoder);
    if (!encoders.has(undefined)) {
      encoders.set(undefined, encoder);
    }
  }
  return { ...shared, encoders, representation: parameter };
}

/** The parameter of a variable has its path in proto names, unless that is the path of another field in JSON names. */
function captureOf({ method: { input } }: HttpBinding, variable: TemplateVariable): Capture {
  const { fieldPath } = variable;
  const path = resolveFieldPath(input, fieldPath) ?? [];
  const namesake = resolveFieldPath(input, fieldPath, "jsonName") ?? [];
  const name = protoPath(namesake) === fieldPath ? fieldPath : jsonPath(path);
  return { variable, name, isList: path.at(-1)?.fieldKind === "list" };
}
