import {
  clone,
  create,
  type DescField,
  type DescMessage,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMap, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { MAX_DEPTH } from "../codec/message-field.js";
import { hasOwnForm, scalarParser } from "../codec/value-parser.js";
import { invalidArgument } from "../errors/errors.js";
import { abbreviate } from "../errors/http-error.js";
import { fieldOfMask } from "../routes/binding/update-mask.js";
import { changedImmutables, isImmutable, isKept, isNested } from "./field-behaviors.js";

/**
 * Updates a resource: returns a copy of `target` in which the fields that `mask` names are those of `source`, also if they are empty there.
 * https://google.aip.dev/134, https://google.aip.dev/161
 *
 * - Without paths, the mask is all fields that are set in `source`, down to those of nested messages.
 * - `*` replaces all fields.
 * - `author.name` sets a field of a nested message. A message that neither of the two has is not created.
 * - Lists are replaced as a whole, and so are maps. `labels.color` or ``labels.`dark.color` `` sets one entry, or deletes it.
 * - Fields with the `field_behavior` `OUTPUT_ONLY` or `IDENTIFIER` stay as in `target`, also those of nested messages and of entries that stay in a map. Elements of lists are
 *   taken from `source` with all their fields. Another field of a oneof does not replace such a field.
 * - `IMMUTABLE` fields can be set once. They stay where a whole message is replaced by one without them.
 *
 * @param schema the type of both messages
 * @throws ConnectError `INVALID_ARGUMENT` for a path that names no field, or has more than 100 steps, and for another value of an `IMMUTABLE` field
 */
export function applyUpdateMask<Desc extends DescMessage>(
  schema: Desc,
  target: MessageShape<Desc>,
  source: MessageShape<Desc>,
  mask: Pick<FieldMask, "paths"> | undefined,
): MessageShape<Desc> {
  const paths = mask?.paths ?? [];
  const parts: Parts = new Map();
  for (const path of paths) {
    const steps = stepsOf(path);
    if (steps === undefined || !addPath(parts, schema, steps, 0)) {
      const name = abbreviate(path);
      const description = `names '${name}', which is not a field of ${schema.typeName} that can be updated alone`;
      throw invalidMask([description]);
    }
  }
  const result = clone(schema, target);
  const to = reflect(schema, result, false);
  const from = reflect(schema, source, false);
  if (paths.length === 0) {
    mergeSet(to, from);
  } else {
    applyParts(to, from, parts);
  }
  const changed = [...changedImmutables(reflect(schema, target, false), to)];
  if (changed.length > 0) {
    throw invalidMask(changed.map((path) => `changes '${abbreviate(path)}', which is immutable`));
  }
  return result;
}

function invalidMask(descriptions: readonly string[]): ConnectError {
  return invalidArgument(
    descriptions.map((description) => ({ field: "update_mask", reason: "INVALID_VALUE", description })),
  );
}

/** A step of a path: a name, or a key of a map in backticks. */
const STEP = /(?:^|(?!^)\.)(?:`([^`]*)`|([^.`]+))/gy;

const WILDCARD = "*";

/** What a mask names in a message, by field or {@link WILDCARD}, or in a map, by key. A tree names each part once, however many paths do. */
type Parts = Map<unknown, Part>;
type Part = Parts | typeof WHOLE;
const WHOLE = "whole";

type MapField = DescField & { readonly fieldKind: "map" };

/** The steps of a path; undefined if it is not one, or longer than messages nest. */
function stepsOf(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  let end = 0;
  for (const [text, quoted, plain] of path.matchAll(STEP)) {
    if (steps.push(quoted ?? plain ?? "") > MAX_DEPTH) {
      return undefined;
    }
    end += text.length;
  }
  return end === path.length ? steps : undefined;
}

/** Adds what the steps from `index` on name. Returns false if they name nothing. Parts are undefined in what is named as a whole. */
function addPath(
  parts: Parts | undefined,
  message: DescMessage,
  steps: readonly string[],
  index: number,
): boolean {
  const step = steps[index];
  const left = steps.length - index - 1;
  if (step === undefined) {
    return false;
  }
  if (step === WILDCARD) {
    parts?.set(WILDCARD, WHOLE);
    return left === 0;
  }
  const field = fieldOfMask(message, step);
  if (field === undefined || isKept(field)) {
    return field !== undefined;
  }
  const next = steps[index + 1] ?? "";
  if (left === 0 || (isCollection(field) && left === 1 && next === WILDCARD)) {
    parts?.set(field, WHOLE);
    return true;
  }
  if (field.fieldKind !== "map") {
    return isNested(field) && addPath(partsOf(parts, field), field.message, steps, index + 1);
  }
  const key = scalarParser(field.mapKey, "text")(next);
  // Maps with keys of the type bool have no paths.
  if (!key.ok || field.mapKey === ScalarType.BOOL || next === WILDCARD) {
    return false;
  }
  const entries = partsOf(parts, field);
  if (left === 1) {
    entries?.set(key.value, WHOLE);
    return true;
  }
  const { message: value } = field;
  return (
    value !== undefined && !hasOwnForm(value) && addPath(partsOf(entries, key.value), value, steps, index + 2)
  );
}

/** The parts below a part, added if there are none; undefined if it is named as a whole. */
function partsOf(parts: Parts | undefined, key: unknown): Parts | undefined {
  const known = parts?.get(key);
  if (parts === undefined || known === WHOLE) {
    return undefined;
  }
  const below: Parts = known ?? new Map<unknown, Part>();
  parts.set(key, below);
  return below;
}

/** Sets what a mask names in a message. */
function applyParts(to: ReflectMessage, from: ReflectMessage, parts: Parts): void {
  if (parts.has(WILDCARD)) {
    replaceAll(to, from);
    return;
  }
  for (const [field, part] of parts as Map<DescField, Part>) {
    if (part === WHOLE) {
      replace(to, from, field);
    } else if (field.fieldKind === "map") {
      applyToEntries(to.get(field), from.get(field), field, part);
    } else if (isNested(field) && (to.isSet(field) || from.isSet(field)) && !isBlocked(to, field)) {
      const inner = to.get(field);
      applyParts(inner, from.get(field), part);
      to.set(field, inner);
    }
  }
}

/** Sets or deletes entries of a map, or sets fields of the messages in them. */
function applyToEntries(to: ReflectMap, from: ReflectMap, field: MapField, parts: Parts): void {
  const { message } = field;
  for (const [key, part] of parts) {
    if (part !== WHOLE && message !== undefined) {
      if (to.has(key) || from.has(key)) {
        const empty = () => reflect(message, create(message), false);
        const inner = (to.get(key) ?? empty()) as ReflectMessage;
        applyParts(inner, (from.get(key) ?? empty()) as ReflectMessage, part);
        to.set(key, inner);
      }
    } else {
      replaceEntry(to, from, field, key);
    }
  }
}

/** Replaces all fields. */
function replaceAll(to: ReflectMessage, from: ReflectMessage): void {
  for (const field of to.fields.filter((each) => !isKept(each))) {
    if (from.isSet(field) || !isImmutable(field)) {
      replace(to, from, field);
    }
  }
}

/** Whether a oneof has another field, which stays. */
function isBlocked(to: ReflectMessage, { oneof }: DescField): boolean {
  const current = oneof && to.oneofCase(oneof);
  return current !== undefined && isKept(current);
}

/** Replaces a field; of a message, each of its fields, because some stay. A message with fields that stay is not cleared. */
function replace(to: ReflectMessage, from: ReflectMessage, field: DescField): void {
  if (isBlocked(to, field)) {
    return;
  }
  if (isNested(field) && (to.isSet(field) || from.isSet(field))) {
    const inner = to.isSet(field) ? to.get(field) : emptyLike(from.get(field));
    replaceAll(inner, from.get(field));
    if (!from.isSet(field) && !hasSetField(inner)) {
      to.clear(field);
    } else {
      to.set(field, inner);
    }
  } else if (!from.isSet(field)) {
    to.clear(field);
  } else if (field.fieldKind === "map") {
    replaceEntries(to.get(field), from.get(field), field);
  } else {
    to.set(field, from.get(field));
  }
}

/** Replaces all entries of a map. */
function replaceEntries(to: ReflectMap, from: ReflectMap, field: MapField): void {
  for (const key of [...to.keys()].filter((each) => !from.has(each))) {
    to.delete(key);
  }
  for (const key of from.keys()) {
    replaceEntry(to, from, field, key);
  }
}

/** Replaces an entry of a map; of a message, each of its fields, because some stay. */
function replaceEntry(to: ReflectMap, from: ReflectMap, { message }: MapField, key: unknown): void {
  if (!from.has(key)) {
    to.delete(key);
  } else if (message === undefined || hasOwnForm(message)) {
    to.set(key, from.get(key));
  } else {
    const value = from.get(key) as ReflectMessage;
    const inner = (to.get(key) ?? emptyLike(value)) as ReflectMessage;
    replaceAll(inner, value);
    to.set(key, inner);
  }
}

/** A new message with only the fields of `from` that the schema does not know. */
function emptyLike({ desc, message }: ReflectMessage): ReflectMessage {
  const { $unknown } = message;
  return reflect(desc, Object.assign(create(desc), $unknown && { $unknown }), false);
}

/** Sets what is set in `from`: of a message that is not empty, its fields. */
function mergeSet(to: ReflectMessage, from: ReflectMessage): void {
  for (const field of from.fields.filter((each) => from.isSet(each) && !isKept(each))) {
    if (isNested(field) && to.isSet(field) && hasSetField(from.get(field))) {
      mergeSet(to.get(field), from.get(field));
    } else {
      replace(to, from, field);
    }
  }
}

function hasSetField(message: ReflectMessage): boolean {
  return message.fields.some((field) => message.isSet(field));
}

function isCollection({ fieldKind, message }: DescField): boolean {
  return fieldKind === "list" || fieldKind === "map" || message !== undefined;
}
