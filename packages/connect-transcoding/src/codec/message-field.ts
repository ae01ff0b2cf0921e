import type { DescField, DescMessage, Message, MessageInitShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Edition, isWrapperDesc, type Struct, StructSchema } from "@bufbuild/protobuf/wkt";

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
  const oneof = value as OneofValue | undefined;
  return oneof?.case === chosen ? oneof.value : undefined;
}

/** Puts a value into a message: as that of a single field, as one more of a list, or under a key of a map. */
export type FieldWriter = (message: Message, value: unknown, key?: unknown) => void;

/**
 * Makes what puts values of a field into messages. A value is what `create` makes of it, an integer of 64 bits a bigint.
 * Nothing is checked: the value is one of the field's.
 */
export function fieldWriter(field: DescField): FieldWriter {
  if (field.message?.typeName === StructSchema.typeName) {
    return structWriter(field);
  }
  const { property, chosen } = placeOf(field);
  const held = holding(field);
  if (field.fieldKind === "list") {
    return (message, value) => {
      (propertiesOf(message)[property] as unknown[]).push(held(value));
    };
  }
  if (field.fieldKind === "map") {
    return (message, value, key) => {
      (propertiesOf(message)[property] as Record<string, unknown>)[String(key)] = held(value);
    };
  }
  if (chosen !== undefined) {
    return (message, value) => {
      propertiesOf(message)[property] = { case: chosen, value: held(value) };
    };
  }
  return (message, value) => {
    propertiesOf(message)[property] = held(value);
  };
}

/** The other field of a field's oneof that a message has; undefined where it has none. */
export function rivalOf(message: Message, { oneof, localName }: DescField): DescField | undefined {
  if (oneof === undefined) {
    return undefined;
  }
  const chosen = (propertiesOf(message)[oneof.localName] as OneofValue).case;
  return chosen === undefined || chosen === localName
    ? undefined
    : oneof.fields.find((each) => each.localName === chosen);
}

/** What protobuf-es holds for a oneof. */
interface OneofValue {
  readonly case?: string | undefined;
  readonly value?: unknown;
}

/** The properties of a message by their names, which TypeScript knows of generated types alone. */
function propertiesOf(message: Message): Record<string, unknown> {
  return message as Message & Record<string, unknown>;
}

/** A field holds a Struct as the JSON object that it stands for, which only protobuf-es's reflection knows how to make. */
function structWriter(field: DescField): FieldWriter {
  return (message, value, key) => {
    const target = reflect(field.parent, message, false);
    const struct = reflect(StructSchema, value as Struct, false);
    switch (field.fieldKind) {
      case "list":
        target.get(field).add(struct);
        break;
      case "map":
        target.get(field).set(key as string, struct);
        break;
      default:
        target.set(field, struct);
    }
  };
}

/** How a value is held where protobuf-es does not hold it as it is. */
function holding(field: DescField): (value: unknown) => unknown {
  if (field.fieldKind !== "map" && field.scalar !== undefined && field.longAsString) {
    return String;
  }
  if (field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message)) {
    return (value) => (value as { readonly value: unknown }).value;
  }
  return (value) => value;
}
