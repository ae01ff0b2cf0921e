import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
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
  /** The comment in the schema. */
  readonly help?: string;
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

/** A method by its name, with the types of its descriptor. */
export interface Method<Input extends DescMessage, Output extends DescMessage> {
  /** `LookupIp`. */
  readonly name: string;
  /** `GeoIpService/LookupIp`. */
  readonly path: string;
  /** Never set: it carries the types. */
  readonly desc?: DescMethodUnary<Input, Output>;
}

type InputOf<Desc> = Desc extends DescMethodUnary<infer Input, DescMessage> ? Input : never;
type OutputOf<Desc> = Desc extends DescMethodUnary<DescMessage, infer Output> ? Output : never;

/** Returns a method by its path. */
export function methodAt<Desc extends DescMethodUnary<DescMessage, DescMessage>>(
  path: string,
): Method<InputOf<Desc>, OutputOf<Desc>> {
  return { name: path.slice(path.indexOf("/") + 1), path };
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

/** Returns the comment on a service in the schema. */
export function serviceComment(service: keyof typeof generated.services): string {
  return generated.services[service];
}

/** Returns the label of a field by its name in the proto file. */
export function labelOf(name: string): string {
  return fieldLabel({ name, jsonName: name });
}

/** A value of a message as {@link fromJsonNames} returns it: enum values are their names. */
export type Plain<T> = T extends Uint8Array
  ? string
  : T extends string | boolean | bigint | undefined
    ? T
    : T extends number
      ? `${number}` extends `${T}`
        ? number
        : string
      : T extends readonly (infer Item)[]
        ? readonly Plain<Item>[]
        : { readonly [Name in keyof T as Exclude<Name, "$typeName" | "$unknown">]: Plain<T[Name]> };

/** The local names of fields that have another name in JSON than in snake case. */
const RENAMED: Readonly<Record<string, string>> = generated.renamed;

/** Converts a response in JSON to local names of fields, as generated code has them. Bytes stay in Base64. */
export function fromJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(fromJsonNames);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = Object.entries(value).map(([name, member]) => [
    RENAMED[name] ?? name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
    fromJsonNames(member),
  ]);
  return Object.fromEntries(members);
}

/** Converts a request with local names of fields to JSON. */
export function toJsonNames(request: object): object {
  const members = Object.entries(request).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // JSON has no NaN, and the service rejects the text.
    Number.isNaN(value) ? "NaN" : value,
  ]);
  return Object.fromEntries(members);
}
