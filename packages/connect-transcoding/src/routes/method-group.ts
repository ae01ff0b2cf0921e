import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { jsonElementPath, jsonPath, resolveFieldPath } from "../codec/message-field.js";
import { type FieldViolation, invalidArgument, violationsOf } from "../errors/errors.js";
import { abbreviate, allowedValues, MAX_GATHERED } from "../errors/http-error.js";
import { CONFLICTING_VALUES, type MessageBinder } from "./binding/message-binder.js";
import { type ArrivingRequest, createMessageReader, type MessageReader } from "./binding/message-stream.js";
import {
  canBeEmptyText,
  type Parameter,
  type RequestContent,
  readParameters,
  setRawBody,
  textOf,
  withoutEmptyText,
} from "./binding/request-parameters.js";
import { captureVariable, type PathReading } from "./binding/request-path.js";
import {
  type ResponseWish,
  readSystemParameters,
  systemNames,
  type TransformJson,
  transformOf,
} from "./binding/system-parameters.js";
import {
  type CompiledBinding,
  compileBinding,
  type EncoderPair,
  type MethodGroupOptions,
} from "./compiled-binding.js";
import type { ResponseEncoder } from "./encoding/response-encoder.js";
import {
  assertExclusive,
  type BindingGroup,
  compileSelection,
  contentRuleOf,
  selectorParameters,
} from "./rules/binding-group.js";
import {
  givesStream,
  type HttpBinding,
  parameterFields,
  type ResponseBody,
  takesStream as takesMessages,
} from "./rules/http-rule.js";
import type { PathTemplate } from "./rules/path-template.js";

/** The method that a request calls. */
export interface BoundCall {
  readonly method: DescMethod;
  /** Encodes a response message in the representation that the request selects; in a stream, called per message. */
  readonly encode: ResponseEncoder;
  /** Changes the JSON of responses as the request asks for; undefined to leave it. */
  readonly transform: TransformJson | undefined;
  /** Whether the request asks for a stream of server-sent events. */
  readonly wantsEvents: boolean;
  /** What responses in the default representation contain; a stream of `bytes` is one response in parts. */
  readonly responseKind: ResponseBody["kind"];
  /** The HTTP status of successful responses. */
  readonly status: number;
  /** Renames the fields in the violations of an error to the names that the client used. */
  rename(error: ConnectError): ConnectError;
}

/** A request as the message of a method. */
export interface BoundRequest extends BoundCall {
  readonly message: Message;
}

/** A request as the stream of messages of a method. */
export interface BoundStream extends BoundCall {
  /** Reads the messages in the body. */
  readonly reader: MessageReader;
}

/** The methods that share an HTTP method and a path. */
export interface MethodGroup {
  /** In the order of their bindings. */
  readonly methods: readonly DescMethod[];
  /** Headers of successful responses that all methods share. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of errors, even if no method is selected. */
  readonly errorHeaders: Readonly<Record<string, string>>;
  /** Binds a request to a message. Throws a ConnectError with all violations. */
  bind(path: PathReading, query: string, content: RequestContent): BoundRequest;
  /** Whether the method takes a stream of messages. It shares its path with no other method. */
  readonly takesStream: boolean;
  /** Binds the request of a method that takes a stream. Throws a ConnectError, with all violations of path and query. */
  bindStream(path: PathReading, query: string, request: ArrivingRequest): BoundStream;
}

/**
 * Compiles the bindings of one HTTP method and path. Throws an Error that names the methods if one request can select two
 * of them, if they disagree on the body, or if a parameter has two meanings.
 */
export function compileMethodGroup(bindings: BindingGroup, options: MethodGroupOptions): MethodGroup {
  assertExclusive(bindings);
  const select = compileSelection(bindings);
  const methods = bindings.map(({ method }) => method);
  const contentRule = contentRuleOf(bindings);
  const compiled = new Map(bindings.map((binding) => [binding, compileBinding(binding, options)]));
  const binders = [...compiled.values()].map(({ binder }) => binder);
  const selectorNames = [
    ...selectorParameters(bindings),
    ...bindings.flatMap(({ options: { representation } }) => representation?.parameter ?? []),
  ];
  const isTaken = (name: string): boolean =>
    selectorNames.includes(name) ||
    binders.some((binder) => binder.hasField({ name, value: "", source: "text" }));
  const system = options.systemParameters === true ? systemNames(isTaken) : undefined;
  // Parameters that select a method, a representation or the form of the response.
  const controlNames = new Set([...selectorNames, ...(system?.keys() ?? [])]);
  const accepted = [...new Set([...selectorNames, ...bindings.flatMap(acceptedNames)])];

  const { unknownParameters } = options;
  const isKnown = (parameter: Parameter): boolean =>
    controlNames.has(parameter.name) || binders.some((binder) => binder.hasField(parameter));
  const findUnknown = (parameters: readonly Parameter[]): readonly FieldViolation[] =>
    unknownParameters === "ignore" || parameters.every(isKnown)
      ? NO_VIOLATIONS
      : unknownAmong(parameters, isKnown, accepted);
  const secrets = new Set(
    methods
      .flatMap(({ input }) => input.fields)
      .flatMap((field) => (field.proto.options?.debugRedact === true ? [field.name, field.jsonName] : [])),
  );
  /**
   * Finds secrets that only other methods of the group take. Other parameters of theirs are ignored; a client whose secret is ignored
   * would believe that it is in use.
   */
  const findForeign = (
    parameters: readonly Parameter[],
    { binder, binding }: CompiledBinding,
  ): readonly FieldViolation[] => {
    const isOwn = (parameter: Parameter): boolean =>
      !secrets.has(parameter.name) || controlNames.has(parameter.name) || binder.hasField(parameter);
    return unknownParameters === "ignore" || compiled.size === 1 || parameters.every(isOwn)
      ? NO_VIOLATIONS
      : unknownAmong(parameters, isOwn, [...new Set([...selectorNames, ...acceptedNames(binding)])]);
  };

  const takesEmptyText = unknownParameters === "ignore" && canBeEmptyText(contentRule.body);

  function bind(path: PathReading, query: string, given: RequestContent): BoundRequest {
    const content = takesEmptyText ? withoutEmptyText(given) : given;
    const { parameters, misplaced } = readParameters(contentRule, controlNames, query, content);
    const controls = readControls(parameters, controlNames);
    const selection = select(controls.texts);
    const chosen = selection.binding && compiled.get(selection.binding);
    const early = concat(
      unknownParameters === "ignore" ? NO_VIOLATIONS : misplaced,
      controls.violations,
      selection.violations,
      findUnknown(parameters),
    );
    if (chosen === undefined) {
      throw invalidArgument(early);
    }
    const { binding, binder, encoders, representation, responseKind, status, output } = chosen;
    const { wish, violations: unmet } =
      system === undefined ? NO_WISH : readSystemParameters(parameters, system, output);
    const all = withCaptures(parameters, binding.template, path);
    const { message, violations: invalid } = binder.bind(all);
    const violations = concat(findForeign(parameters, chosen), invalid);
    setRawBody(message, binding.body, content);
    const pair = encoders.get(representation && controls.texts.get(representation));
    if (pair === undefined || early.length > 0 || violations.length > 0 || unmet.length > 0) {
      const late = pair === undefined ? [unknownRepresentation(binding)] : NO_VIOLATIONS;
      throw invalidArgument(concat(early, violations, unmet, late));
    }
    chosen.fillUpdateMask?.(message, parameters);
    return {
      method: binding.method,
      message,
      ...responseForm(pair, wish, binding),
      responseKind,
      status,
      rename: (error) => renameFields(error, binding, binder, all),
    };
  }

  function bindStream(path: PathReading, query: string, request: ArrivingRequest): BoundStream {
    const [chosen] = compiled.values();
    const pair = chosen?.encoders.get(undefined);
    if (chosen === undefined || pair === undefined) {
      throw new Error("a group of bindings cannot be empty");
    }
    const { binding, binder, responseKind, status, output } = chosen;
    const { parameters, misplaced } = readParameters(contentRule, controlNames, query, NO_CONTENT);
    const { wish, violations: unmet } =
      system === undefined ? NO_WISH : readSystemParameters(parameters, system, output);
    const shared = withCaptures(parameters, binding.template, path);
    const invalid = concat(misplaced, findUnknown(parameters), unmet, binder.bind(shared).violations);
    if (invalid.length > 0) {
      throw invalidArgument(invalid);
    }
    const reader = createMessageReader(request, {
      input: binding.method.input,
      body: binding.body,
      bind: (inBody) => {
        const { message, violations } = binder.bind([...inBody, ...shared]);
        return { message, violations: concat(findUnknown(inBody), violations) };
      },
    });
    return {
      method: binding.method,
      reader,
      ...responseForm(pair, wish, binding),
      responseKind,
      status,
      rename: (error) => renameFields(error, binding, binder, shared),
    };
  }

  const takesStream = methods.some(takesMessages);
  return {
    methods,
    headers: sharedHeaders(bindings),
    errorHeaders: bindings.some(({ options }) => options.cacheControl !== "") ? NO_STORE : {},
    bind,
    takesStream,
    bindStream,
  };
}

/** The violations of unknown parameters, each with the names that are accepted. */
function unknownAmong(
  parameters: readonly Parameter[],
  isKnown: (parameter: Parameter) => boolean,
  accepted: readonly string[],
): FieldViolation[] {
  const unknown = new Set(parameters.filter((each) => !isKnown(each)).map(({ name }) => name));
  const description = `is not a parameter here${allowedValues(accepted)}`;
  return [...unknown].slice(0, MAX_GATHERED).map((name) => ({
    field: abbreviate(name),
    reason: "UNKNOWN_PARAMETER",
    description,
  }));
}

/** Headers of errors, which caches must not store as they store responses. */
const NO_STORE = { "cache-control": "no-store" };

const NO_CONTENT: RequestContent = {
  contentType: undefined,
  contentEncoding: undefined,
  body: new Uint8Array(),
};

const NO_VIOLATIONS: readonly FieldViolation[] = [];

function concat(...lists: readonly (readonly FieldViolation[])[]): readonly FieldViolation[] {
  return lists.some(({ length }) => length > 0) ? lists.flat() : NO_VIOLATIONS;
}

/** Appends the variables of the path to the parameters. */
function withCaptures(
  parameters: readonly Parameter[],
  template: PathTemplate,
  path: PathReading,
): readonly Parameter[] {
  if (template.variables.length === 0) {
    return parameters;
  }
  const captures = template.variables.map(
    (variable): Parameter => ({
      name: variable.fieldPath,
      value: captureVariable(variable, template, path),
      source: "text",
    }),
  );
  return [...parameters, ...captures];
}

const NO_WISH = { wish: undefined, violations: NO_VIOLATIONS };

/** How the response to a request is written. */
function responseForm(
  { usual, withNumbers }: EncoderPair,
  wish: ResponseWish | undefined,
  { method }: HttpBinding,
): Pick<BoundCall, "encode" | "transform" | "wantsEvents"> {
  if (wish === undefined) {
    return { encode: usual, transform: undefined, wantsEvents: false };
  }
  return {
    encode: wish.enumNumbers ? withNumbers() : usual,
    transform: transformOf(wish, givesStream(method)),
    wantsEvents: wish.eventStream,
  };
}

function sharedHeaders(bindings: BindingGroup): Record<string, string> {
  const [cacheControl, ...others] = new Set(bindings.map(({ options }) => options.cacheControl));
  return cacheControl === undefined || cacheControl === "" || others.length > 0
    ? {}
    : { "cache-control": cacheControl };
}

/** The parameter names that errors list for a binding: all except those that the path or the body sets. */
function acceptedNames(binding: HttpBinding): string[] {
  const { body } = binding;
  const isWhole = body.kind === "value" || (body.kind === "message" && body.raw);
  return isWhole ? [] : parameterFields(binding).map(({ jsonName }) => jsonName);
}

function unknownRepresentation({ options }: HttpBinding): FieldViolation {
  const allowed = options.representation?.choices.map(({ value }) => value) ?? [];
  return {
    field: options.representation?.parameter ?? "",
    reason: "INVALID_VALUE",
    description: `has an unknown value${allowedValues(allowed)}`,
  };
}

/** The text of an object or array, which no selector or representation can have as its value. */
const NO_TEXT = "\0";

/** The parameters of a request that select a method or a representation. */
interface Controls {
  readonly texts: ReadonlyMap<string, string>;
  readonly violations: readonly FieldViolation[];
}

const NO_CONTROLS: Controls = { texts: new Map(), violations: NO_VIOLATIONS };

function readControls(parameters: readonly Parameter[], controlNames: ReadonlySet<string>): Controls {
  if (controlNames.size === 0) {
    return NO_CONTROLS;
  }
  const texts = new Map<string, string>();
  const conflicting: string[] = [];
  for (const { name, value } of parameters) {
    if (value !== null && controlNames.has(name)) {
      const text = textOf(value) ?? NO_TEXT;
      const earlier = texts.get(name) ?? text;
      if (earlier !== text) {
        conflicting.push(name);
      }
      texts.set(name, earlier);
    }
  }
  if (conflicting.length === 0) {
    return { texts, violations: NO_VIOLATIONS };
  }
  return { texts, violations: [...new Set(conflicting)].map((field) => ({ field, ...CONFLICTING_VALUES })) };
}

function renameFields(
  error: ConnectError,
  { method }: HttpBinding,
  binder: MessageBinder,
  parameters: readonly Parameter[],
): ConnectError {
  const violations = violationsOf(error);
  if (violations.length === 0) {
    return error;
  }
  const used = binder.namesUsed(parameters);
  const nameOf = (field: string): string => {
    const path = resolveFieldPath(method.input, field);
    return used.get(field) ?? (path === undefined ? jsonElementPath(method.input, field) : jsonPath(path));
  };
  return invalidArgument(violations.map((each) => ({ ...each, field: nameOf(each.field) })));
}
