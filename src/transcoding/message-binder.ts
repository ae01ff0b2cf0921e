import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { FieldViolation } from "../rpc/rpc-error.js";
import { type FieldPath, jsonPath, protoPath, resolveFieldPath } from "./field-path.js";
import { type FieldValueParser, fieldValueParser } from "./field-value.js";
import type { Parameter } from "./request-parameters.js";

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
  /** The field that a parameter of this name fills, if there is one. */
  resolve(name: string): FieldPath | undefined;
  /** The names of the parameters, as they are listed to callers. */
  readonly names: readonly string[];
  /** Fills a new message; parameters that are no fields are passed over. Whole messages come before their parts. */
  bind(parameters: readonly Parameter[]): BoundMessage;
}

/** Makes the binder of a message type. `registry` resolves the types in `google.protobuf.Any`. */
export function createMessageBinder(desc: DescMessage, registry: Registry): MessageBinder {
  const parsers = new Map<DescField, FieldValueParser>();
  const parserOf = (field: DescField): FieldValueParser => {
    const parser = parsers.get(field) ?? fieldValueParser(field, registry);
    parsers.set(field, parser);
    return parser;
  };
  const topLevel = new Map<string, FieldPath>();
  for (const field of desc.fields) {
    topLevel.set(field.name, [field]).set(field.jsonName, [field]);
  }
  const resolve = (name: string) => topLevel.get(name) ?? resolveFieldPath(desc, name);

  function bind(parameters: readonly Parameter[]): BoundMessage {
    const root = reflect(desc, create(desc), false);
    const violations: FieldViolation[] = [];
    const spelling = new Map<string, string>();
    const given = new Map<string, JsonValue>();

    for (const { name, value } of parameters) {
      const path = resolve(name);
      const field = path?.at(-1);
      // ProtoJSON: null stands for a field that is not there.
      if (path === undefined || field === undefined || value === null) {
        continue;
      }
      const key = protoPath(path);
      const earlier = given.get(key);
      if (earlier !== undefined && field.fieldKind !== "list") {
        if (textOf(earlier) !== textOf(value)) {
          violations.push({ field: name, ...GIVEN_TWICE });
        }
        continue;
      }
      given.set(key, value);
      spelling.set(key, name);
      for (const failure of setField(root, path, value, parserOf(field))) {
        violations.push({ field: name, ...failure });
      }
    }
    return { message: root.message, violations, spelling };
  }

  return { resolve, names: desc.fields.map((field) => jsonPath([field])), bind };
}

/** What is wrong with a parameter that was given more than once, with different values. */
export const GIVEN_TWICE = {
  reason: "CONFLICTING_VALUES",
  description: "is given more than once, with different values",
} as const;

/** A parameter's value as text, for comparing `6` with `"6"`. */
export function textOf(value: JsonValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Sets, or adds to, the field at the end of a path; the messages on the way are made where they are missing. */
function setField(
  root: ReflectMessage,
  path: FieldPath,
  value: JsonValue,
  parse: FieldValueParser,
): Omit<FieldViolation, "field">[] {
  let target = root;
  for (const step of path.slice(0, -1)) {
    if (step.fieldKind === "message") {
      const next = target.get(step);
      target.set(step, next);
      target = next;
    }
  }
  const failures: Omit<FieldViolation, "field">[] = [];
  for (const field of path.slice(-1)) {
    const chosen = field.oneof && target.oneofCase(field.oneof);
    if (chosen !== undefined && chosen !== field) {
      const description = `cannot be given together with ${chosen.jsonName}`;
      return [{ reason: "CONFLICTING_VALUES", description }];
    }
    const elements = field.fieldKind === "list" && Array.isArray(value) ? value : [value];
    for (const element of elements) {
      const parsed = parse(element);
      if (!parsed.ok) {
        failures.push(parsed.failure);
      } else if (field.fieldKind === "list") {
        target.get(field).add(parsed.value);
      } else if (field.fieldKind === "scalar" && target.isSet(field) && target.get(field) !== parsed.value) {
        // A message that was given whole had another value for it.
        failures.push(GIVEN_TWICE);
      } else {
        target.set(field, parsed.value);
      }
    }
  }
  return failures;
}
