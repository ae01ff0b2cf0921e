import {
  clone,
  create,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMap, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.js";
import { hasOwnForm, scalarParser } from "../codec/value-parser.js";
import { invalidArgument } from "../errors/errors.js";
import { abbreviate } from "../errors/http-error.js";
import { fieldOfMask } from "../routes/binding/update-mask.js";

/**
 * Updates a resource: returns a copy of `target` in which the fields that `mask` names are those of `source`, also if they are empty there.
 * https://google.aip.dev/134, https://google.aip.dev/161
 *
 * - Without paths, the mask is all fields that are set in `source`, down to those of nested messages.
 * - `*` replaces all fields.
 * - `author.name` sets a field of a nested message. A message that neither of the two has is not created.
 * - Lists are replaced as a whole, and so are maps. `labels.color` or ``labels.`dark.color` `` sets one entry, or deletes it.
 * - Fields with the `field_behavior` `OUTPUT_ONLY` or `IDENTIFIER` stay.
 *
 * @param schema the type of both messages
 * @throws ConnectError `INVALID_ARGUMENT` for a path that names no field
 */
export function applyUpdateMask<Desc extends DescMessage>(
  schema: Desc,
  target: MessageShape<Desc>,
  source: MessageShape<Desc>,
  mask: Pick<FieldMask, "paths"> | undefined,
): MessageShape<Desc> {
  const result = clone(schema, target);
  const to = reflect(schema, result, false);
  const from = reflect(schema, source, false);
  const paths = mask?.paths ?? [];
  if (paths.length === 0) {
    mergeSet(to, from);
  }
  for (const path of paths) {
    const steps = STEPS.test(path)
      ? [...path.matchAll(STEP)].map(([, quoted, plain]) => quoted ?? plain ?? "")
      : [];
    if (!applyPath(to, from, steps)) {
      const name = abbreviate(path);
      const description = `names '${name}', which is not a field of ${schema.typeName} that can be updated alone`;
      throw invalidArgument([{ field: "update_mask", reason: "INVALID_VALUE", description }]);
    }
  }
  return result;
}

/** A step of a path: a name, or a key of a map in backticks. */
const STEP = /`([^`]*)`|([^.`]+)/g;
const STEPS = /^(?:`[^`]*`|[^.`]+)(?:\.(?:`[^`]*`|[^.`]+))*$/;

const WILDCARD = "*";

/** Sets what one path names. Returns false if it names nothing. */
function applyPath(to: ReflectMessage, from: ReflectMessage, steps: readonly string[]): boolean {
  const [first, ...rest] = steps;
  if (first === undefined) {
    return false;
  }
  if (first === WILDCARD) {
    replaceAll(to, from);
    return rest.length === 0;
  }
  const field = fieldOfMask(to.desc, first);
  if (field === undefined || isKept(field)) {
    return field !== undefined;
  }
  if (rest.length === 0 || (isCollection(field) && rest.length === 1 && rest[0] === WILDCARD)) {
    replace(to, from, field);
    return true;
  }
  if (field.fieldKind === "map") {
    return applyToEntry(to.get(field), from.get(field), field, rest);
  }
  if (field.fieldKind !== "message" || hasOwnForm(field.message)) {
    return false;
  }
  const isInBoth = to.isSet(field) || from.isSet(field);
  const [inner, other] = [to.get(field), from.get(field)];
  if (!applyPath(inner, other, rest)) {
    return false;
  }
  if (isInBoth) {
    to.set(field, inner);
  }
  return true;
}

/** Sets or deletes an entry of a map, or sets a field of the message in it. Maps with keys of the type bool have no paths. */
function applyToEntry(
  to: ReflectMap,
  from: ReflectMap,
  { mapKey, message }: DescField & { readonly fieldKind: "map" },
  [text = "", ...rest]: readonly string[],
): boolean {
  const parsed = scalarParser(mapKey, "text")(text);
  if (!parsed.ok || mapKey === ScalarType.BOOL || text === WILDCARD) {
    return false;
  }
  const key: unknown = parsed.value;
  const value: unknown = from.get(key);
  if (rest.length > 0) {
    if (message === undefined || hasOwnForm(message)) {
      return false;
    }
    const empty = () => reflect(message, create(message), false);
    const inner = (to.get(key) ?? empty()) as ReflectMessage;
    const isKnown = applyPath(inner, (value ?? empty()) as ReflectMessage, rest);
    if (isKnown && (to.has(key) || from.has(key))) {
      to.set(key, inner);
    }
    return isKnown;
  }
  if (from.has(key)) {
    to.set(key, value);
  } else {
    to.delete(key);
  }
  return true;
}

/** Replaces all fields. */
function replaceAll(to: ReflectMessage, from: ReflectMessage): void {
  for (const field of to.fields.filter((each) => !isKept(each))) {
    replace(to, from, field);
  }
}

/** Replaces a field; of a message that both have, each of its fields, because some can stay. */
function replace(to: ReflectMessage, from: ReflectMessage, field: DescField): void {
  if (!from.isSet(field)) {
    to.clear(field);
  } else if (isNested(field) && to.isSet(field)) {
    replaceAll(to.get(field), from.get(field));
  } else {
    to.set(field, from.get(field));
  }
}

/** Sets what is set in `from`: of a message that is not empty, its fields. */
function mergeSet(to: ReflectMessage, from: ReflectMessage): void {
  for (const field of from.fields.filter((each) => from.isSet(each) && !isKept(each))) {
    const isPart = isNested(field) && to.isSet(field) && hasSetField(from.get(field));
    if (isPart && isNested(field)) {
      mergeSet(to.get(field), from.get(field));
    } else {
      replace(to, from, field);
    }
  }
}

function hasSetField(message: ReflectMessage): boolean {
  return message.fields.some((field) => message.isSet(field));
}

/** Whether a field is a message whose fields have paths. */
function isNested(field: DescField): field is DescField & { readonly fieldKind: "message" } {
  return field.fieldKind === "message" && !hasOwnForm(field.message);
}

function isCollection({ fieldKind, message }: DescField): boolean {
  return fieldKind === "list" || fieldKind === "map" || message !== undefined;
}

/** Whether clients cannot change a field. https://google.aip.dev/203 */
function isKept(field: DescField): boolean {
  const behaviors = hasOption(field, field_behavior) ? getOption(field, field_behavior) : [];
  return behaviors.some((each) => each === FieldBehavior.OUTPUT_ONLY || each === FieldBehavior.IDENTIFIER);
}
