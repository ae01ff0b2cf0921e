import type { DescMethodUnary, Message, Registry } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument, type RpcError } from "../rpc/rpc-error.js";
import { type AnswerEncoder, answerEncoder } from "./answer.js";
import { abbreviate, allowedValues } from "./error-text.js";
import { jsonPath, resolveFieldPath } from "./field-path.js";
import { malformed } from "./http-error.js";
import type { HttpBinding } from "./http-rule.js";
import { createMessageBinder, GIVEN_TWICE, type MessageBinder, textOf } from "./message-binder.js";
import {
  bodyParameters,
  type ContentHeaders,
  jsonBody,
  type Parameter,
  queryParameters,
} from "./request-parameters.js";
import { captureVariable, type PathReading } from "./request-path.js";
import { assertExclusive, type BindingGroup, selectBinding, selectorParameters } from "./selection.js";

/** What a request has besides its method and path. */
export interface RequestContent extends ContentHeaders {
  readonly query: string;
  readonly body: Uint8Array;
}

/** A request that became a message of one method. */
export interface BoundRequest {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Writes the method's answer as this request wants it. */
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

/** What can be set about how requests are read. */
export interface BindingOptions {
  /** What to do with parameters that no method on the path knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
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
  const contentRule = agreedContentRule(bindings);
  const compiled = new Map(bindings.map((binding) => [binding, compileBinding(binding, options)]));
  const binders = [...compiled.values()].map(({ binder }) => binder);
  const surfaceNames = new Set([
    ...selectorParameters(bindings),
    ...bindings.flatMap(representationParameter),
  ]);
  const accepted = [...new Set([...surfaceNames, ...binders.flatMap(({ names }) => names)])];

  const isKnown = (name: string) => surfaceNames.has(name) || binders.some((binder) => binder.resolve(name));
  const findUnknown = (parameters: readonly Parameter[]): FieldViolation[] => {
    if (options.unknownParameters === "ignore") {
      return [];
    }
    const unknown = new Set(parameters.flatMap(({ name }) => (isKnown(name) ? [] : [name])));
    const description = `is not a parameter here${allowedValues(accepted)}`;
    return [...unknown].map((name) => ({
      field: abbreviate(name),
      reason: "UNKNOWN_PARAMETER",
      description,
    }));
  };

  function bind(path: PathReading, content: RequestContent): BoundRequest {
    const { parameters, misplaced } = readParameters(contentRule, surfaceNames, content);
    const surface = readSurface(parameters, surfaceNames);
    const selection = selectBinding(bindings, (name) => surface.values.get(name));
    const chosen = selection.binding && compiled.get(selection.binding);
    const early = [...misplaced, ...surface.violations, ...selection.violations, ...findUnknown(parameters)];
    if (chosen === undefined) {
      throw invalidArgument(early);
    }
    const { binding, binder, encoders } = chosen;
    const captures = binding.template.variables.map((variable) => ({
      name: variable.fieldPath,
      value: captureVariable(variable, path),
    }));
    const { message, violations, spelling } = binder.bind([...parameters, ...captures]);
    const encode = encoders.get(surface.values.get(representationParameter(binding)[0] ?? ""));
    const all = [...early, ...violations, ...(encode === undefined ? [unknownRepresentation(binding)] : [])];
    if (all.length > 0 || encode === undefined) {
      throw invalidArgument(all);
    }
    return { method: binding.method, message, encode, spell: (error) => spell(error, binding, spelling) };
  }

  return { headers: agreedHeaders(bindings), bind };
}

function compileBinding(binding: HttpBinding, { registry }: BindingOptions): CompiledBinding {
  const binder = createMessageBinder(binding.method.input, registry);
  const encoders = new Map<string | undefined, AnswerEncoder>();
  const { representation } = binding.surface;
  if (representation === undefined) {
    encoders.set(undefined, answerEncoder(binding, undefined, registry));
    return { binding, binder, encoders };
  }
  const { parameter, choices } = representation;
  if (parameter === "" || choices.length === 0 || binder.resolve(parameter) !== undefined) {
    const problem = "a representation needs choices and a parameter that is no field";
    throw new Error(`${binding.method.parent.typeName}.${binding.method.name}: ${problem}`);
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

/** What the bindings of a group must agree on, for it is needed before one of them is selected. */
interface ContentRule {
  readonly body: HttpBinding["body"];
  readonly parametersAnywhere: boolean;
}

function agreedContentRule(bindings: BindingGroup): ContentRule {
  const rules = bindings.map(({ body, surface: { parametersAnywhere } }) => ({ body, parametersAnywhere }));
  const [first, ...others] = rules;
  if (first === undefined) {
    throw new Error("a group of bindings cannot be empty");
  }
  const nameOf = ({ body }: ContentRule) => (body.kind === "field" ? `field ${body.field.name}` : body.kind);
  for (const other of others) {
    if (nameOf(other) !== nameOf(first) || other.parametersAnywhere !== first.parametersAnywhere) {
      const names = bindings.map(({ method }) => `${method.parent.typeName}.${method.name}`);
      throw new Error(
        `${names.join(" and ")} share a path and must have the same body and parameters_anywhere`,
      );
    }
  }
  if (first.parametersAnywhere && first.body.kind !== "message") {
    const names = bindings.map(({ method }) => `${method.parent.typeName}.${method.name}`);
    throw new Error(`${names.join(" and ")}: parameters_anywhere needs body: "*"`);
  }
  return first;
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

function readParameters(
  { body, parametersAnywhere }: ContentRule,
  surfaceNames: ReadonlySet<string>,
  content: RequestContent,
): { parameters: Parameter[]; misplaced: FieldViolation[] } {
  const query = queryParameters(content.query);
  switch (body.kind) {
    case "none":
      if (content.body.length > 0) {
        throw malformed("BODY_NOT_ALLOWED", "this method takes its parameters from the query and no body");
      }
      return { parameters: query, misplaced: [] };
    case "field": {
      const value = jsonBody(content, content.body);
      const field = value === undefined ? [] : [{ name: body.field.jsonName, value }];
      return { parameters: [...field, ...query], misplaced: [] };
    }
    case "message": {
      const inBody = bodyParameters(content, content.body, parametersAnywhere);
      const misplaced = parametersAnywhere ? [] : query.filter(({ name }) => !surfaceNames.has(name));
      return {
        parameters: [...inBody, ...query.filter((parameter) => !misplaced.includes(parameter))],
        misplaced: misplaced.map(({ name }) => ({
          field: abbreviate(name),
          reason: "UNKNOWN_PARAMETER",
          description: "is not a parameter of the query; this method takes its parameters from the body",
        })),
      };
    }
  }
}

/** The text of the parameters that selectors and representations look at. */
function readSurface(
  parameters: readonly Parameter[],
  surfaceNames: ReadonlySet<string>,
): { values: Map<string, string>; violations: FieldViolation[] } {
  const values = new Map<string, string>();
  const conflicting = new Set<string>();
  for (const { name, value } of parameters) {
    if (surfaceNames.has(name) && value !== null) {
      const text = textOf(value);
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
