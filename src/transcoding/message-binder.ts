import { create, type DescField, type DescMessage, type JsonValue, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { fail } from "../result.js";
import type { FieldViolation } from "../rpc/rpc-error.js";
import type { BindingOptions } from "./binding-options.js";
import { addViolation } from "./error-text.js";
import { type FieldPath, jsonPath, protoPath, resolveFieldPath } from "./field-path.js";
import {
  createJsonReaders,
  fieldsByName,
  type JsonReading,
  notTogetherWith,
  rivalOf,
  takesNull,
} from "./json-reader.js";
import type { Parameter } from "./request-parameters.js";
import { enumParser, type ScalarParser, scalarParser } from "./scalar-value.js";
import { wellKnownTypeParser } from "./well-known-types.js";

/** What binding a request's parameters came to. */
export interface BoundMessage {
  /** The message; what is in violation is left out of it. */
  readonly message: Message;
  /** What is wrong, each field named as the caller spelled it. */
  readonly violations: readonly FieldViolation[];
  /** The caller's spelling of each field that was given, by its path in proto names. */
  readonly spelling: ReadonlyMap<string, string>;
}

/** Fills request messages of one type from parameters. */
export interface MessageBinder {
  /** Whether a parameter fills a field. Text can name a field of a field (`like.title`), JSON nests instead. */
  fills(parameter: Parameter): boolean;
  /** Fills a new message; parameters that are no fields are passed over. Whole messages come before their parts. */
  bind(parameters: readonly Parameter[]): BoundMessage;
}

/** What is wrong with a parameter that was given more than once, with different values. */
export const GIVEN_TWICE = {
  reason: "CONFLICTING_VALUES",
  description: "is given more than once, with different values",
} as const;

/** Makes the binder of a message type; all that can be known of its fields beforehand is worked out once. */
export function createMessageBinder(
  desc: DescMessage,
  { registry, unknownParameters }: BindingOptions,
): MessageBinder {
  const jsonReaders = createJsonReaders(registry);
  const paths = new Map([...fieldsByName(desc)].map(([name, field]): [string, FieldPath] => [name, [field]]));
  const textParsers = new Map<DescField, ScalarParser>();
  const textParserOf = (field: DescField): ScalarParser => {
    const parser = textParsers.get(field) ?? textParser(field);
    textParsers.set(field, parser);
    return parser;
  };

  function textParser(field: DescField): ScalarParser {
    if (field.fieldKind === "map") {
      return () => fail("INVALID_TYPE", "is a map, which cannot be a parameter");
    }
    if (field.message !== undefined) {
      const { message } = field;
      const parse = wellKnownTypeParser(message, "text", registry);
      if (parse === undefined) {
        return () => fail("INVALID_TYPE", `is a ${message.typeName}, which cannot be written as text`);
      }
      return (value) => {
        const parsed = parse(value);
        return parsed.ok ? { ok: true, value: reflect(message, parsed.value, false) } : parsed;
      };
    }
    return field.enum !== undefined ? enumParser(field.enum) : scalarParser(field.scalar);
  }

  const resolve = ({ name, source }: Parameter): FieldPath | undefined =>
    paths.get(name) ?? (source === "text" ? resolveFieldPath(desc, name) : undefined);

  function bind(parameters: readonly Parameter[]): BoundMessage {
    const root = reflect(desc, create(desc), false);
    const reading: JsonReading = { unknownMembers: unknownParameters, violations: [], depth: 0 };
    const spelling = new Map<string, string>();
    const given = new Map<string, Parameter>();

    for (const parameter of parameters) {
      const { name, value, source } = parameter;
      const path = resolve(parameter);
      const field = path?.at(-1);
      // ProtoJSON: null stands for a field that is not there.
      if (path === undefined || field === undefined || (value === null && !takesNull(field))) {
        continue;
      }
      const key = protoPath(path);
      const earlier = given.get(key);
      if (
        earlier !== undefined &&
        !(field.fieldKind === "list" && source === "text" && earlier.source === "text")
      ) {
        if (!sameText(earlier.value, value)) {
          addViolation(reading.violations, { field: name, ...GIVEN_TWICE });
        }
        continue;
      }
      given.set(key, parameter);
      spelling.set(key, name);
      const located = locate(root, path);
      if ("rival" in located) {
        const description = notTogetherWith(located.rival);
        addViolation(reading.violations, { field: name, reason: "CONFLICTING_VALUES", description });
      } else if (source === "json") {
        jsonReaders.ofField(field)(located.target, value, name, reading);
      } else {
        setText(located.target, field, textParserOf(field)(value), name, reading);
      }
    }
    return { message: root.message, violations: reading.violations, spelling };
  }

  return { fills: (parameter) => resolve(parameter) !== undefined, bind };
}

/**
 * The message that the last field of a path is in, messages on the way made where they are missing; or the field of
 * the same oneof that was given before, on the way or at the end.
 */
function locate(
  root: ReflectMessage,
  path: FieldPath,
): { readonly target: ReflectMessage } | { readonly rival: DescField } {
  let target = root;
  for (const [index, step] of path.entries()) {
    const rival = rivalOf(target, step);
    if (rival !== undefined) {
      return { rival };
    }
    if (index < path.length - 1 && step.fieldKind === "message") {
      const next = target.get(step);
      target.set(step, next);
      target = next;
    }
  }
  return { target };
}

function setText(
  target: ReflectMessage,
  field: DescField,
  parsed: ReturnType<ScalarParser>,
  name: string,
  { violations }: JsonReading,
): void {
  if (!parsed.ok) {
    addViolation(violations, { field: name, ...parsed.failure });
  } else if (field.fieldKind === "list") {
    target.get(field).add(parsed.value);
  } else if (
    field.fieldKind === "scalar" &&
    target.isSet(field) &&
    !sameScalar(target.get(field), parsed.value)
  ) {
    // A message that was given whole had another value for it.
    addViolation(violations, { field: name, ...GIVEN_TWICE });
  } else {
    target.set(field, parsed.value);
  }
}

function sameScalar(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : Object.is(a, b);
}

/** A parameter's value as text; undefined for an object or an array, which no text stands for. */
export function textOf(value: JsonValue): string | undefined {
  return typeof value === "object" ? undefined : String(value);
}

/** Whether two values are the same text, as `6` and `"6"` are. */
function sameText(a: JsonValue, b: JsonValue): boolean {
  const text = textOf(a);
  return text !== undefined && text === textOf(b);
}

/** The names by which callers are told of a message's fields, those in `bound` left out: a path or a body has them. */
export function parameterNames(desc: DescMessage, bound: ReadonlySet<string>): string[] {
  return desc.fields.filter(({ name }) => !bound.has(name)).map((field) => jsonPath([field]));
}
