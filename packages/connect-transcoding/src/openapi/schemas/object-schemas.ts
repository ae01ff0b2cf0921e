import { joinTexts } from "../comments.js";
import type { Schema } from "../open-api.js";

/** A property of an object, or a parameter. */
export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The schema of an object with these properties. `isClosed`: it has no others. */
export function objectSchema(properties: readonly Property[], isClosed: boolean, description = ""): Schema {
  return {
    type: "object",
    ...describedBy(description),
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...requiredOf(properties),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

function requiredOf(properties: readonly Property[]): Pick<Schema, "required"> {
  const required = properties.flatMap((each) => (each.required ? [each.name] : []));
  return required.length > 0 ? { required } : {};
}

/**
 * The schema of an object as a map from names to values, if generators cannot make its properties members of a class: two
 * names differ only in characters that identifiers do not have, such as `+30s` and `-30s`. Undefined for other objects, and
 * for properties of different types.
 */
export function mapSchema(properties: readonly Property[], description: string): Schema | undefined {
  const identifiers = properties.map(({ name }) => name.replaceAll(/\P{ID_Continue}/gu, ""));
  const values = distinct(
    properties.map(({ schema: { description: _, examples, deprecated, ...value } }) => value),
  );
  const [value, ...others] = values;
  if (new Set(identifiers).size === identifiers.length || value === undefined || others.length > 0) {
    return undefined;
  }
  const members = properties.map(({ name, schema }) => `- \`${name}\`: ${schema.description ?? ""}`);
  return {
    type: "object",
    ...describedBy(joinTexts([description, members.join("\n")], "\n\n")),
    additionalProperties: value,
    ...requiredOf(properties),
  };
}

/** The `description` of an object; empty without a text. */
export function describedBy(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}

/** Removes duplicate schemas. */
export function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
