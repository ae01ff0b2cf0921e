import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { jsonElementPath, jsonPath, resolveFieldPath } from "../codec/message-field.js";
import { type FieldViolation, invalidArgument, renameFields } from "../errors/errors.js";
import { allowedValues, rejectedTag } from "../errors/http-error.js";
import { NO_VIOLATIONS, readControls } from "./binding/controls.js";
import { readIfMatch } from "./binding/entity-tag-field.js";
import type { MessageBinder } from "./binding/message-binder.js";
import { type ArrivingRequest, createMessageReader, type MessageReader } from "./binding/message-stream.js";
import { contentReader } from "./binding/request-content.js";
import {
  type Parameter,
  type RequestContent,
  readParameters,
  setRawBody,
} from "./binding/request-parameters.js";
import { captureVariable, type PathReading } from "./binding/request-path.js";
import {
  type ResponseWish,
  readSystemParameters,
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
import { mediaTypeWeight, weightsIn } from "./encoding/weights.js";
import { knownParameters } from "./known-parameters.js";
import {
  assertExclusive,
  type BindingGroup,
  compileSelection,
  contentRuleOf,
} from "./rules/binding-group.js";
import {
  givesStream,
  type HttpBinding,
  type ResponseBody,
  takesStream as takesMessages,
} from "./rules/http-rule.js";

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
  /** Renames the fields in the violations of an error to the names that the client used, and sets the status of one about its entity tag. */
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
  /** Whether a request can have a body. */
  readonly takesBody: boolean;
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
  const { controlNames, system, findUnknown, findForeign } = knownParameters(bindings, compiled, options);
  const { unknownParameters } = options;
  /** Violations for parameters that the query must not have; none if they are ignored. */
  const rejected = (misplaced: readonly FieldViolation[]) =>
    unknownParameters === "ignore" ? NO_VIOLATIONS : misplaced;
  const contentOf = contentReader<RequestContent>(contentRule.body, options);
  const streamOf = contentReader<ArrivingRequest>(contentRule.body, options);

  function bind(path: PathReading, query: string, given: RequestContent): BoundRequest {
    const content = contentOf(given);
    const { parameters, misplaced } = readParameters(contentRule, controlNames, query, content);
    const controls = readControls(parameters, controlNames);
    const selection = select(controls.texts);
    const chosen = selection.binding && compiled.get(selection.binding);
    const early = concat(
      rejected(misplaced),
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
    const tag = chosen.entityTag === undefined ? undefined : readIfMatch(chosen.entityTag, content.ifMatch);
    const captured = withCaptures(parameters, chosen, path);
    const all = tag === undefined ? captured : [...captured, ...tag.parameters];
    const { message, violations: invalid } = binder.bind(all);
    const violations = concat(findForeign(parameters, chosen), invalid, tag?.violations ?? NO_VIOLATIONS);
    setRawBody(message, binding.body, content);
    const form =
      representation && (controls.texts.get(representation) ?? acceptedForm(binding, given.accept));
    const pair = encoders.get(form);
    if (pair === undefined || early.length > 0 || violations.length > 0 || unmet.length > 0) {
      const late = pair === undefined ? [unknownRepresentation(binding)] : NO_VIOLATIONS;
      throw invalidArgument(concat(early, violations, unmet, late));
    }
    assertNone(chosen.findMissing?.(message));
    assertNone(chosen.prepareUpdateMask?.(message, parameters));
    return {
      method: binding.method,
      message,
      ...responseForm(pair, wish, binding),
      responseKind,
      status,
      rename: (error) => {
        const renamed = renameFields(error, fieldNames(binding, binder, all));
        return tag === undefined ? renamed : rejectedTag(renamed);
      },
    };
  }

  function bindStream(path: PathReading, query: string, request: ArrivingRequest): BoundStream {
    const [chosen] = compiled.values();
    const pair = chosen?.encoders.get(undefined);
    if (chosen === undefined || pair === undefined) {
      throw new Error("a group of bindings cannot be empty");
    }
    const { binding, binder, responseKind, status, output, findMissing } = chosen;
    const { parameters, misplaced } = readParameters(contentRule, controlNames, query, NO_CONTENT);
    const { wish, violations: unmet } =
      system === undefined ? NO_WISH : readSystemParameters(parameters, system, output);
    const shared = withCaptures(parameters, chosen, path);
    const invalid = concat(
      rejected(misplaced),
      findUnknown(parameters),
      unmet,
      binder.bind(shared).violations,
    );
    if (invalid.length > 0) {
      throw invalidArgument(invalid);
    }
    const reader = createMessageReader(streamOf(request), {
      input: binding.method.input,
      body: binding.body,
      bind: (inBody) => {
        const { message, violations: invalid } = binder.bind([...inBody, ...shared]);
        const violations = concat(findUnknown(inBody), invalid);
        return { message, violations: violations.length > 0 ? violations : (findMissing?.(message) ?? []) };
      },
    });
    return {
      method: binding.method,
      reader,
      ...responseForm(pair, wish, binding),
      responseKind,
      status,
      rename: (error) => renameFields(error, fieldNames(binding, binder, shared)),
    };
  }

  const takesStream = methods.some(takesMessages);
  return {
    methods,
    headers: sharedHeaders(bindings),
    errorHeaders: bindings.some(({ options }) => options.cacheControl !== "") ? NO_STORE : {},
    takesBody: contentRule.body.kind !== "none",
    bind,
    takesStream,
    bindStream,
  };
}

/** Headers of errors, which caches must not store as they store responses. */
const NO_STORE = { "cache-control": "no-store" };

const NO_CONTENT: RequestContent = {
  contentType: undefined,
  contentEncoding: undefined,
  body: new Uint8Array(),
};

function concat(...lists: readonly (readonly FieldViolation[])[]): readonly FieldViolation[] {
  return lists.some(({ length }) => length > 0) ? lists.flat() : NO_VIOLATIONS;
}

function assertNone(violations: readonly FieldViolation[] = NO_VIOLATIONS): void {
  if (violations.length > 0) {
    throw invalidArgument(violations);
  }
}

/** Appends the variables of the path to the parameters. */
function withCaptures(
  parameters: readonly Parameter[],
  { captures, binding }: CompiledBinding,
  path: PathReading,
): readonly Parameter[] {
  if (captures.length === 0) {
    return parameters;
  }
  const captured = captures.flatMap(({ name, variable, isList }): Parameter[] => {
    const text = captureVariable(variable, binding.template, path);
    return (isList ? text.split(",") : [text]).map((value) => ({ name, value, source: "text" }));
  });
  return [...parameters, ...captured];
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

/** The value of the representation that an `Accept` header prefers to the default; undefined if it prefers none. */
function acceptedForm({ options }: HttpBinding, accept: string | undefined): string | undefined {
  const [first, ...others] = options.representation?.choices ?? [];
  if (accept === undefined || first === undefined) {
    return undefined;
  }
  const weights = weightsIn(accept);
  const weightOf = ({ textField }: typeof first) =>
    mediaTypeWeight(weights, textField === "" ? "application/json" : "text/plain");
  return others.find((each) => weightOf(each) > weightOf(first))?.value;
}

function unknownRepresentation({ options }: HttpBinding): FieldViolation {
  const allowed = options.representation?.choices.map(({ value }) => value) ?? [];
  return {
    field: options.representation?.parameter ?? "",
    reason: "INVALID_VALUE",
    description: `has an unknown value${allowedValues(allowed)}`,
  };
}

/** The name of a field for the client: the one that it has used, or that in JSON. */
function fieldNames(
  { method }: HttpBinding,
  binder: MessageBinder,
  parameters: readonly Parameter[],
): (field: string) => string {
  let used: ReadonlyMap<string, string> | undefined;
  return (field) => {
    used ??= binder.namesUsed(parameters);
    const path = resolveFieldPath(method.input, field);
    return used.get(field) ?? (path === undefined ? jsonElementPath(method.input, field) : jsonPath(path));
  };
}
