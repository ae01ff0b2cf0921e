import {
  create,
  type DescField,
  type DescMessage,
  isFieldSet,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { fieldsByName, takesNull } from "../codec/json-object.js";
import {
  createJsonReaders,
  type JsonFieldReader,
  type JsonReading,
  locateViolations,
  notTogetherWith,
} from "../codec/json-reader.js";
import { type FieldPlace, fieldWriter, placeOf, readField, rivalOf } from "../codec/message-field.js";
import { enumParser, type ScalarParser, scalarParser } from "../codec/scalar-value.js";
import { wellKnownTypeParser } from "../codec/well-known-types.js";
import type { FieldViolation } from "../errors/errors.js";
import { addViolation } from "../errors/http-error.js";
import { fail } from "../result.js";
import { type FieldPath, protoPath, resolveFieldPath } from "../rules/field-path.js";
import { type Parameter, textOf } from "./request-parameters.js";

/** What binding a request's parameters came to. */
export interface BoundMessage {
  /** The message; what is in violation is left out of it. */
  readonly message: Message;
  /** What is wrong, each field named as the caller spelled it. */
  readonly violations: readonly FieldViolation[];
}

/** Fills request messages of one type from parameters. */
export interface MessageBinder {
  /** Whether a parameter fills a field. Text can name a field of a field (`like.title`), JSON nests instead. */
  fills(parameter: Parameter): boolean;
  /** Fills a new message; parameters that are no fields are passed over. Whole messages come before their parts. */
  bind(parameters: readonly Parameter[]): BoundMessage;
  /** The caller's spelling of each field that parameters give, by its path in proto names. */
  spellingIn(parameters: readonly Parameter[]): ReadonlyMap<string, string>;
}

/** What is wrong with a parameter that was given more than once, with different values. */
export const GIVEN_TWICE = {
  reason: "CONFLICTING_VALUES",
  description: "is given more than once, with different values",
} as const;

/** The field that a parameter fills. */
interface Target {
  /** Its path in proto names. */
  readonly key: string;
  readonly path: FieldPath;
  readonly leaf: Leaf;
}

/** What is worked out of the last field of a path. */
interface Leaf {
  readonly field: DescField;
  readonly place: FieldPlace;
  readonly takesNull: boolean;
  readonly readJson: JsonFieldReader;
  /** Reads a text, and puts what it reads. */
  readonly parse: ScalarParser;
  readonly write: (message: Message, value: unknown) => void;
}

/** Makes the binder of a message type; all that can be known of its fields beforehand is worked out once. */
export function createMessageBinder(
  desc: DescMessage,
  { registry, unknownParameters }: BindingOptions,
): MessageBinder {
  const jsonReaders = createJsonReaders(registry);
  const leaves = new Map<DescField, Leaf>();
  const ownFields = new Map([...fieldsByName(desc)].map(([name, field]) => [name, targetOf([field], field)]));

  function targetOf(path: FieldPath, field: DescField): Target {
    const leaf = leaves.get(field) ?? makeLeaf(field);
    leaves.set(field, leaf);
    return { key: protoPath(path), path, leaf };
  }

  function makeLeaf(field: DescField): Leaf {
    return {
      field,
      place: placeOf(field),
      takesNull: takesNull(field),
      readJson: jsonReaders.ofField(field),
      parse: textParser(field),
      write: fieldWriter(field),
    };
  }

  function textParser(field: DescField): ScalarParser {
    if (field.fieldKind === "map") {
      return () => fail("INVALID_TYPE", "is a map, which cannot be a parameter");
    }
    if (field.message !== undefined) {
      const { typeName } = field.message;
      return (
        wellKnownTypeParser(field.message, "text", registry) ??
        (() => fail("INVALID_TYPE", `is a ${typeName}, which cannot be written as text`))
      );
    }
    return field.enum !== undefined ? enumParser(field.enum) : scalarParser(field.scalar);
  }

  function resolve({ name, source }: Parameter): Target | undefined {
    const own = ownFields.get(name);
    if (own !== undefined || source === "json" || !name.includes(".")) {
      return own;
    }
    const path = resolveFieldPath(desc, name);
    const field = path?.at(-1);
    return path === undefined || field === undefined ? undefined : targetOf(path, field);
  }

  /** The field that a parameter gives; undefined where it is none, or null, which in ProtoJSON stands for no field. */
  function given(parameter: Parameter): Target | undefined {
    const target = resolve(parameter);
    return parameter.value === null && target?.leaf.takesNull === false ? undefined : target;
  }

  function bind(parameters: readonly Parameter[]): BoundMessage {
    const message = create(desc);
    const reading: JsonReading = { unknownMembers: unknownParameters, violations: [], depth: 0 };
    // One parameter alone has none before it.
    const earlier = parameters.length > 1 ? new Map<string, Parameter>() : undefined;
    for (const parameter of parameters) {
      const target = given(parameter);
      if (target === undefined) {
        continue;
      }
      const before = earlier?.get(target.key);
      if (before !== undefined && !isElement(target, before, parameter)) {
        if (!sameText(before.value, parameter.value)) {
          addViolation(reading.violations, { field: parameter.name, ...GIVEN_TWICE });
        }
        continue;
      }
      earlier?.set(target.key, parameter);
      fill(message, target, parameter, reading);
    }
    return { message, violations: reading.violations };
  }

  function spellingIn(parameters: readonly Parameter[]): ReadonlyMap<string, string> {
    const spelling = new Map<string, Parameter>();
    for (const parameter of parameters) {
      const target = given(parameter);
      const before = target && spelling.get(target.key);
      if (target !== undefined && (before === undefined || isElement(target, before, parameter))) {
        spelling.set(target.key, parameter);
      }
    }
    return new Map([...spelling].map(([key, { name }]) => [key, name]));
  }

  return { fills: (parameter) => resolve(parameter) !== undefined, bind, spellingIn };
}

/** Whether a parameter that was given before is one more element of a list. */
function isElement({ leaf }: Target, before: Parameter, parameter: Parameter): boolean {
  return leaf.field.fieldKind === "list" && before.source === "text" && parameter.source === "text";
}

/** Sets the field of a parameter, or tells what is wrong with it. */
function fill(root: Message, { path, leaf }: Target, parameter: Parameter, reading: JsonReading): void {
  const { name, value, source } = parameter;
  const { violations } = reading;
  const { holder, rival = rivalOf(holder, leaf.field) } = locate(root, path);
  if (rival !== undefined) {
    const description = notTogetherWith(rival);
    addViolation(violations, { field: name, reason: "CONFLICTING_VALUES", description });
    return;
  }
  if (source === "json") {
    const before = violations.length;
    leaf.readJson(holder, value, reading);
    if (violations.length > before) {
      locateViolations(violations, before, name);
    }
    return;
  }
  const parsed = leaf.parse(value);
  if (!parsed.ok) {
    addViolation(violations, { field: name, ...parsed.failure });
  } else if (path.length > 1 && isOther(holder, leaf, parsed.value)) {
    addViolation(violations, { field: name, ...GIVEN_TWICE });
  } else {
    leaf.write(holder, parsed.value);
  }
}

/**
 * The message that the last field of a path is in, messages on the way made where they are missing; or the field of
 * the same oneof that was given before, on the way.
 */
function locate(root: Message, path: FieldPath): { readonly holder: Message; readonly rival?: DescField } {
  let holder = root;
  for (let index = 0; index < path.length - 1; index++) {
    const step = path[index];
    if (step?.fieldKind === "message") {
      const rival = rivalOf(holder, step);
      if (rival !== undefined) {
        return { holder, rival };
      }
      holder = partOf(holder, step);
    }
  }
  return { holder };
}

/** The message in a field, made where there is none. */
function partOf(holder: Message, field: DescField & { readonly fieldKind: "message" }): Message {
  // What a field holds whose kind is this.
  const present = readField(placeOf(field), holder) as Message | undefined;
  if (present !== undefined) {
    return present;
  }
  const made = create(field.message);
  fieldWriter(field)(holder, made);
  return made;
}

/** Whether a message that was given whole has another value for a field of it. */
function isOther(holder: Message, { field, place }: Leaf, value: unknown): boolean {
  return (
    field.fieldKind === "scalar" && isFieldSet(holder, field) && !sameScalar(readField(place, holder), value)
  );
}

function sameScalar(held: unknown, value: unknown): boolean {
  if (held instanceof Uint8Array && value instanceof Uint8Array) {
    return Buffer.compare(held, value) === 0;
  }
  // An integer of 64 bits can be held as text.
  return typeof value === "bigint" ? String(held) === String(value) : Object.is(held, value);
}

/** Whether two values are the same text, as `6` and `"6"` are. */
function sameText(a: JsonValue, b: JsonValue): boolean {
  const text = textOf(a);
  return text !== undefined && text === textOf(b);
}

/** What can be set about how requests are read. */
export interface BindingOptions {
  /** What to do with parameters, and members of JSON objects, that no method on the path knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}
