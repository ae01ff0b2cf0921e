import type {
  DescExtension,
  DescField,
  DescMessage,
  Message,
  MessageInitShape,
  Registry,
} from "@bufbuild/protobuf";
import { Edition, isWrapperDesc, type Struct, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { setMember } from "./json/data.js";
import { jsonOfStruct } from "./struct-form.js";
import { hasOwnForm } from "./value-parser.js";

/** The limit of nested messages in a request, the same as in other implementations of protobuf. */
export const MAX_DEPTH = 100;

/** The fields from a message down to one of its leaves. */
export type FieldPath = readonly DescField[];

/**
 * Resolves a dotted path to fields, each step by proto name or JSON name: by `first`, because the JSON name of a field can be the proto name
 * of another. The path `id.value` of a wrapper is that of `id`. Paths of requests, which are those by JSON name first, can also name fields of
 * other messages with a form of their own, as in `mask.paths`: in http.proto, each field of a message is a parameter. Returns undefined for an
 * unknown field, for a path through anything but single messages, and for one longer than {@link MAX_DEPTH}.
 */
export function resolveFieldPath(
  message: DescMessage,
  path: string,
  first: "name" | "jsonName" = "name",
): FieldPath | undefined {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  const steps = path.split(".");
  if (steps.length > MAX_DEPTH) {
    return undefined;
  }
  for (const step of steps) {
    const field: DescField | undefined =
      parent?.fields.find((each) => each[first] === step) ??
      parent?.fields.find(({ name, jsonName }) => name === step || jsonName === step);
    if (field === undefined) {
      return undefined;
    }
    if (!isWrapperDesc(field.parent) || fields.length === 0) {
      fields.push(field);
    }
    parent = field.fieldKind === "message" ? field.message : undefined;
    if (parent !== undefined && first === "name" && hasOwnForm(parent) && !isWrapperDesc(parent)) {
      parent = undefined;
    }
  }
  return fields;
}

/**
 * The JSON names of a path in proto names that has elements of lists or maps, `books[0].author_names`. A path that is not of the
 * message stays as it is.
 */
export function jsonElementPath(message: DescMessage, path: string): string {
  const steps: string[] = [];
  let parent: DescMessage | undefined = message;
  for (const step of path.match(/[^.[]+(?:\[[^\]]*\])?|\S/g)?.filter((each) => each !== ".") ?? []) {
    const [name = ""] = step.split("[", 1);
    const field: DescField | undefined = parent?.fields.find((each) => each.name === name);
    if (field === undefined || steps.length === MAX_DEPTH) {
      return path;
    }
    steps.push(`${field.jsonName}${step.slice(name.length)}`);
    parent = field.message;
  }
  return steps.join(".");
}

/** The path in proto names, as in `google.rpc.BadRequest`. */
export function protoPath(path: FieldPath): string {
  return path.map(({ name }) => name).join(".");
}

/** The path in JSON names, as in queries. */
export function jsonPath(path: FieldPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

/** A message, or a plain object that `create` accepts in its place and that may lack fields. */
export type MessageInit = MessageInitShape<DescMessage>;

/** The place of a field in the messages of protobuf-es. */
export interface FieldPlace {
  /** The property of the message: of the field, or of its oneof, which holds `{ case, value }`. */
  readonly property: string;
  /** The case of the field in its oneof; undefined for a field without one. */
  readonly chosen: string | undefined;
  /** Whether the prototype can have the property too, where it does not belong to this message. */
  readonly isInherited: boolean;
  /** Whether the property holds the value itself, and is always that of the message. */
  readonly isPlain: boolean;
}

/** An extension as a field, which is held in the property `value` of an {@link ExtensionHolder}. */
export type ExtensionField = DescField & { readonly extension: DescExtension };

/** Holds the value of an extension: messages have extensions only in binary form. */
export interface ExtensionHolder extends Message {
  value: unknown;
}

const extensionFields = new WeakMap<DescExtension, ExtensionField>();

/** An extension as a field. */
function extensionField(extension: DescExtension): ExtensionField {
  const field = extensionFields.get(extension) ?? {
    ...extension,
    kind: "field",
    parent: extension.extendee,
    localName: "value",
    extension,
  };
  // Only fields of a oneof have other members, and an extension cannot be in a oneof.
  extensionFields.set(extension, field as ExtensionField);
  return field as ExtensionField;
}

/** Finds the extension of a message that a member of a JSON object names: `[package.name]`. */
export function findExtension(
  registry: Registry,
  { typeName }: DescMessage,
  name: string,
): ExtensionField | undefined {
  const isExtension = name.startsWith("[") && name.endsWith("]");
  const extension = isExtension ? registry.getExtension(name.slice(1, -1)) : undefined;
  return extension?.extendee.typeName === typeName ? extensionField(extension) : undefined;
}

/** The extensions that are set in a message, in the order of their first occurrence, without unknown ones. */
export function extensionsOf(registry: Registry, desc: DescMessage, message: Message): ExtensionField[] {
  const numbers = new Set(message.$unknown?.map(({ no }) => no));
  return [...numbers].flatMap((number) => {
    const extension = registry.getExtensionFor(desc, number);
    return extension === undefined ? [] : [extensionField(extension)];
  });
}

/** Finds the place of a field. */
export function placeOf(field: DescField): FieldPlace {
  const property = field.oneof?.localName ?? field.localName;
  const chosen = field.oneof === undefined ? undefined : field.localName;
  // Outside proto3, defaults are on the prototype; a field can have the name of a member of Object.prototype.
  const isInherited = field.parent.file.edition !== Edition.EDITION_PROTO3 || property in Object.prototype;
  return { property, chosen, isInherited, isPlain: chosen === undefined && !isInherited };
}

/** The value of a field in a message or a plain object; undefined where it is absent or null. */
export function readField(place: FieldPlace, message: MessageInit): unknown {
  // Most fields are plain, and V8 inlines a function as short as this one.
  return place.isPlain ? (message[place.property] ?? undefined) : readOtherField(place, message);
}

function readOtherField({ property, chosen, isInherited }: FieldPlace, message: MessageInit): unknown {
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

/** Sets a single field of a message, appends to a list, or sets the entry `key` of a map. */
export type FieldWriter = (message: Message, value: unknown, key?: unknown) => void;

/**
 * Returns a function that sets a field. Values have the form that `create` produces, with 64-bit integers as bigint;
 * they are not checked.
 */
export function fieldWriter(field: DescField): FieldWriter {
  const { property, chosen } = placeOf(field);
  const toHeld = heldForm(field);
  if (field.fieldKind === "list") {
    return (message, value) => {
      (propertiesOf(message)[property] as unknown[]).push(toHeld(value));
    };
  }
  if (field.fieldKind === "map") {
    return (message, value, key) => {
      setMember(propertiesOf(message)[property] as Record<string, unknown>, String(key), toHeld(value));
    };
  }
  if (chosen !== undefined) {
    return (message, value) => {
      propertiesOf(message)[property] = { case: chosen, value: toHeld(value) };
    };
  }
  return (message, value) => {
    propertiesOf(message)[property] = toHeld(value);
  };
}

/** The other field of the same oneof that is set in a message; undefined without one. */
export function rivalOf(message: Message, { oneof, localName }: DescField): DescField | undefined {
  if (oneof === undefined) {
    return undefined;
  }
  const chosen = (propertiesOf(message)[oneof.localName] as OneofValue).case;
  return chosen === undefined || chosen === localName
    ? undefined
    : oneof.fields.find((each) => each.localName === chosen);
}

/** The value of a oneof in protobuf-es. */
interface OneofValue {
  readonly case?: string | undefined;
  readonly value?: unknown;
}

/** The properties of a message by name. TypeScript has them only for generated types. */
function propertiesOf(message: Message): Record<string, unknown> {
  return message as Message & Record<string, unknown>;
}

/** Whether a field holds a Struct as a JSON object: any but the one in `google.protobuf.Value`. */
export function isJsonStruct({ message, parent }: DescField): boolean {
  return message?.typeName === StructSchema.typeName && parent.typeName !== ValueSchema.typeName;
}

/** Converts values to the form that protobuf-es holds in a field. */
function heldForm(field: DescField): (value: unknown) => unknown {
  if (field.fieldKind !== "map" && field.scalar !== undefined && field.longAsString) {
    return String;
  }
  if (isJsonStruct(field)) {
    return (value) => jsonOfStruct(value as Struct);
  }
  if (field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message)) {
    return (value) => (value as { readonly value: unknown }).value;
  }
  return (value) => value;
}
