import type { DescMessage } from "@bufbuild/protobuf";
import { fieldLabel } from "../../text/labels.js";
import generated from "./schema.json" with { type: "json" };

// What panels show of the schema. The descriptors themselves are several times as large as a panel, so that only the drawer and
// snippets load them.

/** A value that a field accepts, as form text, and its label. */
export interface FieldChoice {
  readonly text: string;
  readonly title: string;
  /** The number of the enum value; absent for other fields. */
  readonly number?: number;
}

/** A field of a message. */
export interface Field {
  readonly localName: string;
  readonly name: string;
  readonly jsonName: string;
  readonly kind: "string" | "number" | "boolean" | "enum" | "message";
  readonly isList?: true;
  readonly isRequired?: true;
  /** As form texts; absent without one. */
  readonly example?: string;
  readonly defaultValue?: string;
  /** In characters. */
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly choices?: readonly FieldChoice[];
}

/** A message by its name, with the type of its descriptor. */
export interface Message<Desc extends DescMessage> {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Never set: it carries the type. */
  readonly desc?: Desc;
}

const MESSAGES: Readonly<Record<string, readonly Field[]>> = generated.messages as Record<string, Field[]>;

/** Returns a message by its name, which schema.json must have. */
export function messageNamed<Desc extends DescMessage>(name: string): Message<Desc> {
  const fields = MESSAGES[name];
  if (fields === undefined) {
    throw new Error(`schema.json has no message ${name}: run npx vitest run test/workbench/schema -u`);
  }
  return { name, fields };
}

/** Returns a field of a message by its local name. */
export function fieldOf<Desc extends DescMessage>(
  { name, fields }: Message<Desc>,
  localName: string & keyof Desc["field"],
): Field {
  const field = fields.find((each) => each.localName === localName);
  if (field === undefined) {
    throw new Error(`${name} has no field ${localName}`);
  }
  return field;
}

/** Returns the label of a field by its name in the proto file. */
export function labelOf(name: string): string {
  return fieldLabel({ name, jsonName: name });
}
