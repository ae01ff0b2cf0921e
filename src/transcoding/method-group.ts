import type { Message } from "@bufbuild/protobuf";
import { methodName } from "../rpc/method-name.js";
import { type FieldViolation, invalidArgument, type RpcError } from "../rpc/rpc-error.js";
import { type AnswerEncoder, answerEncoder } from "./answer.js";
import type { BindingOptions } from "./binding-options.js";
import { abbreviate, allowedValues, MAX_GATHERED } from "./error-text.js";
import { jsonPath, resolveFieldPath } from "./field-path.js";
import type { HttpBinding, HttpMethodDesc } from "./http-rule.js";
import { createMessageBinder, GIVEN_TWICE, type MessageBinder, textOf } from "./message-binder.js";
import {
  acceptedNames,
  agreedContentRule,
  type RequestContent,
  readParameters,
  setRawBody,
} from "./request-content.js";
import type { Parameter } from "./request-parameters.js";
import { captureVariable, type PathReading } from "./request-path.js";
import { assertExclusive, type BindingGroup, compileSelection, selectorParameters } from "./selection.js";

/** A request that became a message of one method. */
export interface BoundRequest {
  readonly method: HttpMethodDesc;
  readonly message: Message;
  /** Writes the method's answer as this request wants it; of a stream, one message. */
  readonly encode: AnswerEncoder;
  /** The error with its fields named as the caller spelled them. */
  spell(error: RpcError): RpcError;
}

/** The methods that share a verb and a path. */
export interface MethodGroup {
  /** Headers that answers have even where no method could be told. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes a request a message, or throws an RpcError with everything that is wrong with it. */
  bind(path: PathReading, content: RequestContent): BoundRequest;
}

interface CompiledBinding {
  readonly binding: HttpBinding;
  readonly binder: MessageBinder;
  /** How the answer is written, by the value of the representation's parameter; `undefined` for none given. */
  readonly encoders: ReadonlyMap<string | undefined, AnswerEncoder>;
}

/**
 * Compiles the bindings of one verb and path. Throws an Error that names them when one request could select two,
 * when they disagree on what a body is, or when a parameter would have two meanings.
 */
export function compileMethodGroup(bindings: BindingGroup, options: BindingOptions): MethodGroup {
  assertExclusive(bindings);
  const select = compileSelection(bindings);
  const contentRule = agreedContentRule(bindings);
  const compiled = new Map(bindings.map((binding) => [binding, compileBinding(binding, options)]));
  const binders = [...compiled.values()].map(({ binder }) => binder);
  const surfaceNames = new Set([
    ...selectorParameters(bindings),
    ...bindings.flatMap(representationParameter),
  ]);
  const accepted = [...new Set([...surfaceNames, ...bindings.flatMap(acceptedNames)])];

  const isKnown = (parameter: Parameter) =>
    surfaceNames.has(parameter.name) || binders.some((binder) => binder.fills(parameter));
  const findUnknown = (parameters: readonly Parameter[]): FieldViolation[] => {
    if (options.unknownParameters === "ignore") {
      return [];
    }
    const unknown = new Set(parameters.flatMap((each) => (isKnown(each) ? [] : [each.name])));
    const description = `is not a parameter here${allowedValues(accepted)}`;
    return [...unknown].slice(0, MAX_GATHERED).map((name) => ({
      field: abbreviate(name),
      reason: "UNKNOWN_PARAMETER",
      description,
    }));
  };

  function bind(path: PathReading, content: RequestContent): BoundRequest {
    const { parameters, misplaced } = readParameters(contentRule, surfaceNames, content);
    const surface = readSurface(parameters, surfaceNames);
    const selection = select((name) => surface.values.get(name));
    const chosen = selection.binding && compiled.get(selection.binding);
    const early = [...misplaced, ...surface.violations, ...selection.violations, ...findUnknown(parameters)];
    if (chosen === undefined) {
      throw invalidArgument(early);
    }
    const { binding, binder, encoders } = chosen;
    const captures = binding.template.variables.map((variable) => ({
      name: variable.fieldPath,
      value: captureVariable(variable, path),
      source: "text" as const,
    }));
    const { message, violations, spelling } = binder.bind([...parameters, ...captures]);
    setRawBody(message, binding.body, content);
    const encode = encoders.get(surface.values.get(representationParameter(binding)[0] ?? ""));
    const all = [...early, ...violations, ...(encode === undefined ? [unknownRepresentation(binding)] : [])];
    if (all.length > 0 || encode === undefined) {
      throw invalidArgument(all);
    }
    return { method: binding.method, message, encode, spell: (error) => spell(error, binding, spelling) };
  }

  return { headers: agreedHeaders(bindings), bind };
}

function compileBinding(binding: HttpBinding, options: BindingOptions): CompiledBinding {
  const { registry } = options;
  const binder = createMessageBinder(binding.method.input, options);
  const encoders = new Map<string | undefined, AnswerEncoder>();
  const { representation } = binding.surface;
  if (representation === undefined) {
    encoders.set(undefined, answerEncoder(binding, undefined, registry));
    return { binding, binder, encoders };
  }
  const { parameter, choices } = representation;
  if (
    parameter === "" ||
    choices.length === 0 ||
    binder.fills({ name: parameter, value: "", source: "text" })
  ) {
    const problem = "a representation needs choices and a parameter that is no field";
    throw new Error(`${methodName(binding.method)}: ${problem}`);
  }
  for (const { value, textField } of choices) {
    const encoder = answerEncoder(binding, textField === "" ? undefined : textField, registry);
    encoders.set(value, encoder);
    if (!encoders.has(undefined)) {
      encoders.set(undefined, encoder);
    }
  }
  return { binding, binder, encoders };
}

function agreedHeaders(bindings: BindingGroup): Record<string, string> {
  const [cacheControl, ...others] = new Set(bindings.map(({ surface }) => surface.cacheControl));
  return cacheControl === undefined || cacheControl === "" || others.length > 0
    ? {}
    : { "cache-control": cacheControl };
}

function representationParameter({ surface }: HttpBinding): string[] {
  return surface.representation === undefined ? [] : [surface.representation.parameter];
}

function unknownRepresentation({ surface }: HttpBinding): FieldViolation {
  const allowed = surface.representation?.choices.map(({ value }) => value) ?? [];
  return {
    field: surface.representation?.parameter ?? "",
    reason: "INVALID_VALUE",
    description: `has an unknown value${allowedValues(allowed)}`,
  };
}

/** Stands for an object or an array, which equals no value that an annotation could have. */
const NO_TEXT = "\0";

/** The text of the parameters that selectors and representations look at. */
function readSurface(
  parameters: readonly Parameter[],
  surfaceNames: ReadonlySet<string>,
): { values: Map<string, string>; violations: FieldViolation[] } {
  const values = new Map<string, string>();
  const conflicting = new Set<string>();
  for (const { name, value } of parameters) {
    if (surfaceNames.has(name) && value !== null) {
      const text = textOf(value) ?? NO_TEXT;
      const earlier = values.get(name) ?? text;
      if (earlier !== text) {
        conflicting.add(name);
      }
      values.set(name, earlier);
    }
  }
  const violations = [...conflicting].map((field) => ({ field, ...GIVEN_TWICE }));
  return { values, violations };
}

function spell(error: RpcError, { method }: HttpBinding, spelling: ReadonlyMap<string, string>): RpcError {
  if (error.violations.length === 0) {
    return error;
  }
  const nameOf = (field: string): string => {
    const path = resolveFieldPath(method.input, field);
    return spelling.get(field) ?? (path === undefined ? field : jsonPath(path));
  };
  return invalidArgument(error.violations.map((each) => ({ ...each, field: nameOf(each.field) })));
}
