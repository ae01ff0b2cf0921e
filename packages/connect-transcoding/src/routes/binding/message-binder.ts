import {
  create,
  type DescField,
  type DescMessage,
  equals,
  isFieldSet,
  isMessage,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import type { JsonData } from "../../codec/json/data.js";
import { fieldsByName, takesNull } from "../../codec/json/members.js";
import {
  conflictsWith,
  createJsonReaders,
  type JsonFieldReader,
  type JsonReadingOptions,
  READING_OPTIONS,
} from "../../codec/json/reader.js";
import { type JsonReading, prefixViolations } from "../../codec/json/reading.js";
import {
  type FieldPath,
  type FieldPlace,
  fieldWriter,
  findExtension,
  placeOf,
  protoPath,
  readField,
  resolveFieldPath,
  rivalOf,
} from "../../codec/message-field.js";
import {
  enumParser,
  hasOwnForm,
  invalid,
  scalarParser,
  type ValueParser,
  wellKnownTypeParser,
} from "../../codec/value-parser.js";
import type { FieldViolation } from "../../errors/errors.js";
import { addViolation } from "../../errors/http-error.js";
import { comparableParser, isDefault, isSame } from "./compare-values.js";
import { findMapEntry, type MapEntry } from "./map-entry.js";
import { type Parameter, textOf } from "./request-parameters.js";

/** Options for reading requests. Unknown parameters are treated like unknown members of JSON objects. */
export interface BindingOptions extends JsonReadingOptions {
  /** Whether text can set entries of maps: `labels[color]=red`. Default: false. */
  readonly mapParameters?: boolean | undefined;
}

/** The names of {@link BindingOptions}. */
export const BINDING_OPTIONS: OptionNames<BindingOptions> = { ...READING_OPTIONS, mapParameters: true };

/** The result of binding parameters. */
export interface BoundMessage {
  /** The message, without the fields in violation. */
  readonly message: Message;
  /** Each field has the name that the client used. */
  readonly violations: readonly FieldViolation[];
}

/** Binds parameters to request messages of one type. */
export interface MessageBinder {
  /** Whether a parameter names a field. Text can name a nested field (`like.title`); JSON nests objects instead. */
  hasField(parameter: Parameter): boolean;
  /**
   * Binds parameters to a new message; ignores unknown ones. Whole messages must precede their nested fields. A JSON value is
   * the message itself if that is a well-known type with a form of its own.
   */
  bind(parameters: readonly Parameter[]): BoundMessage;
  /** The name that the client used for each field, by the path of the field in proto names. */
  namesUsed(parameters: readonly Parameter[]): ReadonlyMap<string, string>;
}

/** The violation of a parameter with several different values. */
export const CONFLICTING_VALUES = {
  reason: "CONFLICTING_VALUES",
  description: "is given more than once, with different values",
} as const;

/** The field that a parameter sets. */
interface Target {
  /** The path in proto names. */
  readonly key: string;
  readonly path: FieldPath;
  readonly leaf: Leaf;
}

/** The last field of a path, compiled. */
interface Leaf {
  readonly field: DescField;
  readonly place: FieldPlace;
  readonly takesNull: boolean;
  readonly readJson: JsonFieldReader;
  readonly parseText: ValueParser;
  /** Parses the JSON value of a single scalar or enum, to compare it; undefined for other fields. */
  readonly parseJson: ValueParser | undefined;
  /** Whether a map has another value for the key of this entry; undefined for a field. */
  readonly entryConflicts?: MapEntry["conflicts"];
  readonly write: (message: Message, value: unknown) => void;
  /** Whether the message with the field has a ProtoJSON form. Undefined if every such message has one. */
  readonly hasForm: ((holder: Message) => boolean) | undefined;
}

/** Compiles the binder of a message type. */
export function createMessageBinder(desc: DescMessage, options: BindingOptions): MessageBinder {
  const {
    registry,
    unknownParameters,
    mapParameters = false,
  } = knownOptions("createMessageBinder", options, BINDING_OPTIONS);
  const jsonReaders = createJsonReaders(registry);
  const leaves = new Map<DescField, Leaf>();
  const readWhole = hasOwnForm(desc) ? jsonReaders.ofMessage(desc) : undefined;
  const ownFields = new Map([...fieldsByName(desc)].map(([name, field]) => [name, targetOf([field], field)]));

  function targetOf(path: FieldPath, field: DescField): Target {
    const leaf = leaves.get(field) ?? makeLeaf(field);
    leaves.set(field, leaf);
    return { key: protoPath(path), path, leaf };
  }

  function entryTarget({ path, key, ...entry }: MapEntry): Target | undefined {
    const field = path.at(-1);
    const target = field && targetOf(path, field);
    const { parseText, write, conflicts: entryConflicts } = entry;
    return (
      target && {
        path,
        key: `${target.key}[${key}]`,
        leaf: { ...target.leaf, parseText, write, entryConflicts },
      }
    );
  }

  function makeLeaf(field: DescField): Leaf {
    return {
      field,
      place: placeOf(field),
      takesNull: takesNull(field),
      readJson: jsonReaders.ofField(field),
      parseText: textParser(field, mapParameters),
      parseJson: comparableParser(field),
      write: fieldWriter(field),
      hasForm: hasOwnForm(field.parent) ? (holder) => isJson(field.parent, holder) : undefined,
    };
  }

  function isJson(desc: DescMessage, message: Message): boolean {
    try {
      toJson(desc, message, { registry });
      return true;
    } catch {
      return false;
    }
  }

  function resolve({ name, source }: Parameter): Target | undefined {
    const own = ownFields.get(name);
    if (own === undefined && source === "json") {
      const extension = findExtension(registry, desc, name);
      return extension && targetOf([extension], extension);
    }
    const entry = own === undefined && mapParameters ? findMapEntry(desc, name, valueTextParser) : undefined;
    if (entry !== undefined) {
      return entryTarget(entry);
    }
    if (own !== undefined || !name.includes(".")) {
      return own;
    }
    const path = resolveFieldPath(desc, name, "jsonName");
    const field = path?.at(-1);
    return path === undefined || field === undefined ? undefined : targetOf(path, field);
  }

  /** The field that a parameter sets; undefined for an unknown one, and for null, which in ProtoJSON is an absent field. */
  function fieldSetBy(parameter: Parameter): Target | undefined {
    const target = resolve(parameter);
    return parameter.value === null && target?.leaf.takesNull === false ? undefined : target;
  }

  function bind(parameters: readonly Parameter[]): BoundMessage {
    let message = create(desc);
    const reading: JsonReading = { unknownMembers: unknownParameters, violations: [], depth: 0 };
    // A single parameter cannot conflict with another.
    const earlier = parameters.length > 1 ? new Map<string, Parameter>() : undefined;
    // A long value is compared with another one once.
    const conflicting = new Set<string>();
    for (const parameter of parameters) {
      if (readWhole !== undefined && parameter.source === "json") {
        // A wrapper can be null.
        if (parameter.value !== null || !isWrapperDesc(desc)) {
          message = (readWhole(parameter.value, reading) as Message | undefined) ?? message;
        }
        continue;
      }
      const target = fieldSetBy(parameter);
      if (target === undefined || conflicting.has(target.key)) {
        continue;
      }
      const before = earlier?.get(target.key);
      const replaces = before === undefined || isElement(target, before, parameter);
      if (!replaces && !isDefaultInBody(target, before, parameter)) {
        if (!isSameValue(target, before, parameter)) {
          conflicting.add(target.key);
          addViolation(reading.violations, { field: parameter.name, ...CONFLICTING_VALUES });
        }
        continue;
      }
      earlier?.set(target.key, parameter);
      setField(message, target, parameter, reading);
    }
    return { message, violations: reading.violations };
  }

  function namesUsed(parameters: readonly Parameter[]): ReadonlyMap<string, string> {
    const used = new Map<string, Parameter>();
    for (const parameter of parameters) {
      const target = fieldSetBy(parameter);
      const before = target && used.get(target.key);
      if (target !== undefined && (before === undefined || isElement(target, before, parameter))) {
        used.set(target.key, parameter);
      }
    }
    return new Map([...used].map(([key, { name }]) => [key, name]));
  }

  const hasField = (parameter: Parameter): boolean =>
    (readWhole !== undefined && parameter.source === "json") || resolve(parameter) !== undefined;
  return { hasField, bind, namesUsed };
}

/** The parser of a field's value in a path or query. */
function textParser(field: DescField, mapParameters: boolean): ValueParser {
  if (field.fieldKind === "map") {
    const way = mapParameters ? `; write ${field.jsonName}[key]=value` : ", which cannot be a parameter";
    return () => invalid("INVALID_TYPE", `is a map${way}`);
  }
  return valueTextParser(field);
}

/** The same of the value of a single field, of an element of a list, or of an entry of a map. */
function valueTextParser(field: DescField): ValueParser {
  if (field.message !== undefined) {
    const { typeName } = field.message;
    return (
      wellKnownTypeParser(field.message, "text") ??
      (() => invalid("INVALID_TYPE", `is a ${typeName}, which cannot be written as text`))
    );
  }
  return field.enum !== undefined ? enumParser(field.enum) : scalarParser(field.scalar, "text");
}

/** Whether a repeated parameter is another element of a list. */
function isElement({ leaf }: Target, before: Parameter, parameter: Parameter): boolean {
  return leaf.field.fieldKind === "list" && before.source === "text" && parameter.source === "text";
}

/** Sets the field of a parameter, or adds a violation. */
function setField(root: Message, { path, leaf }: Target, parameter: Parameter, reading: JsonReading): void {
  const { name, value, source } = parameter;
  const { violations } = reading;
  const { holder, rival = rivalOf(holder, leaf.field) } = locate(root, path);
  if (rival !== undefined) {
    const description = conflictsWith(rival);
    addViolation(violations, { field: name, reason: "CONFLICTING_VALUES", description });
    return;
  }
  if (source === "json") {
    const before = violations.length;
    leaf.readJson(holder, value, reading);
    if (violations.length > before) {
      prefixViolations(violations, before, name);
    }
    return;
  }
  const parsed = leaf.parseText(value);
  if (!parsed.ok && leaf.field.enum !== undefined && reading.unknownMembers === "ignore") {
    return;
  }
  if (!parsed.ok) {
    addViolation(violations, { field: name, ...parsed.failure });
    return;
  }
  const isAgain =
    leaf.entryConflicts?.(holder, parsed.value) ??
    ((path.length > 1 || leaf.field.message !== undefined) && conflicts(holder, leaf, parsed.value));
  if (isAgain) {
    addViolation(violations, { field: name, ...CONFLICTING_VALUES });
    return;
  }
  leaf.write(holder, parsed.value);
  if (leaf.hasForm?.(holder) === false) {
    const description = `is not possible in the ProtoJSON form of ${leaf.field.parent.typeName}`;
    addViolation(violations, { field: name, reason: "INVALID_VALUE", description });
  }
}

/**
 * Finds the message of the last field of a path, and creates missing messages on the way. Returns a `rival` if another
 * field of a oneof on the way is set.
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

/** The message in a field, created if absent. */
function partOf(holder: Message, field: DescField & { readonly fieldKind: "message" }): Message {
  const present = readField(placeOf(field), holder) as Message | undefined;
  if (present !== undefined) {
    return present;
  }
  const created = create(field.message);
  fieldWriter(field)(holder, created);
  return created;
}

/** Whether the earlier parameter is the default of its field in a JSON body: a value in the path or the query replaces it. */
function isDefaultInBody({ leaf }: Target, before: Parameter, { source }: Parameter): boolean {
  const parsed = before.source === "json" && source === "text" ? leaf.parseJson?.(before.value) : undefined;
  return parsed?.ok === true && isDefault(leaf.field, parsed.value);
}

/** Whether two parameters give a field the same value, such as `6`, `"6"` and `6.0`. */
function isSameValue({ leaf }: Target, a: Parameter, b: Parameter): boolean {
  const [first, second] = [a, b].map(({ source, value }) =>
    source === "text" ? leaf.parseText(value) : leaf.parseJson?.(value),
  );
  return leaf.parseJson !== undefined && first?.ok === true && second?.ok === true
    ? isSame(first.value, second.value)
    : sameText(a.value, b.value);
}

/** Whether a field already has another value, from a parameter that set a message around it or a field in it. */
function conflicts(holder: Message, { field, place, write }: Leaf, value: unknown): boolean {
  if (field.fieldKind === "list" || field.fieldKind === "map" || !isFieldSet(holder, field)) {
    return false;
  }
  const other = create(field.parent);
  write(other, value);
  const [held, given] = [readField(place, holder), readField(place, other)];
  return isMessage(held) && isMessage(given) && field.message !== undefined
    ? !equals(field.message, held, given)
    : !isDefault(field, held) && !isSame(held, given);
}

/** Whether two values have the same text. */
function sameText(a: JsonData, b: JsonData): boolean {
  const text = textOf(a);
  return text !== undefined && text === textOf(b);
}
