import type { DescField, DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { Edition } from "@bufbuild/protobuf/wkt";

/** What `create` takes for a message of some type: the message itself, or a plain object that may lack fields. */
export type MessageInit = MessageInitShape<DescMessage>;

/** Where protobuf-es holds the value of a field. */
export interface FieldPlace {
  /** The property of the message: the field's own, or that of its oneof, which holds `{ case, value }`. */
  readonly property: string;
  /** The case that stands for the field in its oneof; undefined for a field in none. */
  readonly chosen: string | undefined;
  /** Whether the property may be found on the prototype too, where it says nothing of this message. */
  readonly isInherited: boolean;
}

/** Works out where a field is held. */
export function placeOf(field: DescField): FieldPlace {
  const property = field.oneof?.localName ?? field.localName;
  return {
    property,
    chosen: field.oneof === undefined ? undefined : field.localName,
    // Only in proto3 are defaults not on the prototype; a field may be named like a member of every object.
    isInherited: field.parent.file.edition !== Edition.EDITION_PROTO3 || property in Object.prototype,
  };
}

/** The value of a field in a message or a plain object; undefined where it has none, and null counts as none. */
export function readField({ property, chosen, isInherited }: FieldPlace, message: MessageInit): unknown {
  if (isInherited && !Object.hasOwn(message, property)) {
    return undefined;
  }
  const value = message[property];
  if (chosen === undefined) {
    return value ?? undefined;
  }
  // What a oneof's property is, by the types that protobuf-es generates.
  const oneof = value as { readonly case?: string; readonly value?: unknown } | undefined;
  return oneof?.case === chosen ? oneof.value : undefined;
}
