import { create, type DescField, equals, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.js";
import { hasOwnForm } from "../codec/value-parser.js";

/** Whether a field is a message whose fields have paths. */
export function isNested(field: DescField): field is DescField & { readonly fieldKind: "message" } {
  return field.fieldKind === "message" && !hasOwnForm(field.message);
}

/** Whether clients cannot set a field. https://google.aip.dev/203 */
export function isKept(field: DescField): boolean {
  return behavesAs(field, FieldBehavior.OUTPUT_ONLY) || behavesAs(field, FieldBehavior.IDENTIFIER);
}

/** Whether clients can set a field only while it is unset. https://google.aip.dev/203#immutable */
export function isImmutable(field: DescField): boolean {
  return behavesAs(field, FieldBehavior.IMMUTABLE);
}

function behavesAs(field: DescField, behavior: FieldBehavior): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
}

/** The paths of immutable fields that are set in `before` and differ in `after`, also in messages and entries of maps that stay. */
export function* changedImmutables(
  before: ReflectMessage,
  after: ReflectMessage,
  prefix = "",
): Iterable<string> {
  for (const field of before.fields.filter((each) => before.isSet(each))) {
    const path = prefix + field.name;
    if (isImmutable(field)) {
      if (!equals(before.desc, withOnly(before, field), withOnly(after, field))) {
        yield path;
      }
    } else if (isNested(field) && after.isSet(field)) {
      yield* changedImmutables(before.get(field), after.get(field), `${path}.`);
    } else if (field.fieldKind === "map" && field.message !== undefined && !hasOwnForm(field.message)) {
      const entries = after.get(field);
      for (const [key, value] of before.get(field)) {
        const left = entries.get(key);
        if (left !== undefined) {
          yield* changedImmutables(value as ReflectMessage, left as ReflectMessage, `${path}.${key}.`);
        }
      }
    }
  }
}

/** A message with one field of another, if it is set there. */
function withOnly(from: ReflectMessage, field: DescField): Message {
  const only = reflect(from.desc, create(from.desc), false);
  if (from.isSet(field)) {
    only.set(field, from.get(field));
  }
  return only.message;
}
