import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type FieldViolation, invalidArgument, violationsOf } from "../errors/errors.js";
import { abbreviate, allowedValues, MAX_GATHERED } from "../errors/http-error.js";
import {
  type BindingOptions,
  createMessageBinder,
  GIVEN_TWICE,
  type MessageBinder,
} from "../request/message-binder.js";
import {
  acceptedNames,
  agreedContentRule,
  type RequestContent,
  readParameters,
  setRawBody,
} from "../request/request-content.js";
import { type Parameter, textOf } from "../request/request-parameters.js";
import { captureVariable, type PathReading } from "../request/request-path.js";
import { createResponseEncoder, type ResponseEncoder } from "../response/response-encoder.js";
import { jsonPath, methodName, resolveFieldPath } from "./field-path.js";
import type { HttpBinding, HttpMethodDesc } from "./http-rule.js";
import {
  assertExclusive,
  type BindingGroup,
  compileSelection,
  selectorParameters,
} from "./method-selection.js";
import type { TemplateVariable } from "./path-template.js";

/** A request that became a message of one method. */
export interface BoundRequest {
  readonly method: HttpMethodDesc;
  readonly message: Message;
  /** Writes the method's answer as this request wants it; of a stream, one message. */
  readonly encode: ResponseEncoder;
  /** The error with its fields named as the caller spelled them. */
  rename(error: ConnectError): ConnectError;
}

/** The methods that share a verb and a path. */
export interface MethodGroup {
  /** The methods, in the order of their bindings. */
  readonly methods: readonly DescMethod[];
  /** Headers that answers have even where no method could be told. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes a request a message, or throws an RpcError with everything that is wrong with it. */
  bind(path: PathReading, query: string, content: RequestContent): BoundRequest;
}

interface CompiledBinding {
  readonly binding: HttpBinding;
  readonly binder: MessageBinder;
  /** How the answer is written, by the value of the representation's parameter; `undefined` for none given. */
  readonly encoders: ReadonlyMap<string | undefined, ResponseEncoder>;
  /** That parameter; undefined where there is one representation. */
  readonly representation: string | undefined;
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

  const findUnknown = (parameters: readonly Parameter[]): readonly FieldViolation[] => {
    const isUnknown = (parameter: Parameter) =>
      !surfaceNames.has(parameter.name) && !binders.some((binder) => binder.fills(parameter));
    if (options.unknownParameters === "ignore" || !parameters.some(isUnknown)) {
      return NOTHING_WRONG;
    }
    const unknown = new Set(parameters.filter(isUnknown).map(({ name }) => name));
    const description = `is not a parameter here${allowedValues(accepted)}`;
    return [...unknown].slice(0, MAX_GATHERED).map((name) => ({
      field: abbreviate(name),
      reason: "UNKNOWN_PARAMETER",
      description,
    }));
  };

  function bind(path: PathReading, query: string, content: RequestContent): BoundRequest {
    const { parameters, misplaced } = readParameters(contentRule, surfaceNames, query, content);
    const surface = readSurface(parameters, surfaceNames);
    const selection = select(surface.texts);
    const chosen = selection.binding && compiled.get(selection.binding);
    const early = together(misplaced, surface.violations, selection.violations, findUnknown(parameters));
    if (chosen === undefined) {
      throw invalidArgument(early);
    }
    const { binding, binder, encoders, representation } = chosen;
    const all = withCaptures(parameters, binding.template.variables, path);
    const { message, violations } = binder.bind(all);
    setRawBody(message, binding.body, content);
    const encode = encoders.get(representation && surface.texts.get(representation));
    if (encode === undefined || early.length > 0 || violations.length > 0) {
      const late = encode === undefined ? [unknownRepresentation(binding)] : NOTHING_WRONG;
      throw invalidArgument(together(early, violations, late));
    }
    const renameAll = (error: ConnectError) => rename(error, binding, binder.spellingIn(all));
    return {
      method: binding.method,
      message,
      encode,
      rename: (error) => (violationsOf(error).length === 0 ? error : renameAll(error)),
    };
  }

  return { methods: bindings.map(({ method }) => method), headers: agreedHeaders(bindings), bind };
}

const NOTHING_WRONG: readonly FieldViolation[] = [];

/** All violations of some lists; mostly there are none. */
function together(...lists: readonly (readonly FieldViolation[])[]): readonly FieldViolation[] {
  return lists.some(({ length }) => length > 0) ? lists.flat() : NOTHING_WRONG;
}

/** The parameters of a request, and behind them those that its path has. */
function withCaptures(
  parameters: readonly Parameter[],
  variables: readonly TemplateVariable[],
  path: PathReading,
): readonly Parameter[] {
  if (variables.length === 0) {
    return parameters;
  }
  const captures = variables.map(
    (variable): Parameter => ({
      name: variable.fieldPath,
      value: captureVariable(variable, path),
      source: "text",
    }),
  );
  return [...parameters, ...captures];
}

function compileBinding(binding: HttpBinding, options: BindingOptions): CompiledBinding {
  const { registry } = options;
  const binder = createMessageBinder(binding.method.input, options);
  const encoders = new Map<string | undefined, ResponseEncoder>();
  const { representation } = binding.surface;
  if (representation === undefined) {
    encoders.set(undefined, createResponseEncoder(binding, undefined, registry));
    return { binding, binder, encoders, representation: undefined };
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
    const encoder = createResponseEncoder(binding, textField === "" ? undefined : textField, registry);
    encoders.set(value, encoder);
    if (!encoders.has(undefined)) {
      encoders.set(undefined, encoder);
    }
  }
  return { binding, binder, encoders, representation: parameter };
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

/** What a request says to selectors and representations. */
interface Surface {
  readonly texts: ReadonlyMap<string, string>;
  readonly violations: readonly FieldViolation[];
}

const NO_SURFACE: Surface = { texts: new Map(), violations: NOTHING_WRONG };

/** The text of the parameters that selectors and representations look at. */
function readSurface(parameters: readonly Parameter[], surfaceNames: ReadonlySet<string>): Surface {
  if (surfaceNames.size === 0) {
    return NO_SURFACE;
  }
  const texts = new Map<string, string>();
  const conflicting: string[] = [];
  for (const { name, value } of parameters) {
    if (value !== null && surfaceNames.has(name)) {
      const text = textOf(value) ?? NO_TEXT;
      const earlier = texts.get(name) ?? text;
      if (earlier !== text) {
        conflicting.push(name);
      }
      texts.set(name, earlier);
    }
  }
  if (conflicting.length === 0) {
    return { texts, violations: NOTHING_WRONG };
  }
  return { texts, violations: [...new Set(conflicting)].map((field) => ({ field, ...GIVEN_TWICE })) };
}

function rename(
  error: ConnectError,
  { method }: HttpBinding,
  spelling: ReadonlyMap<string, string>,
): ConnectError {
  const nameOf = (field: string): string => {
    const path = resolveFieldPath(method.input, field);
    return spelling.get(field) ?? (path === undefined ? field : jsonPath(path));
  };
  return invalidArgument(violationsOf(error).map((each) => ({ ...each, field: nameOf(each.field) })));
}
