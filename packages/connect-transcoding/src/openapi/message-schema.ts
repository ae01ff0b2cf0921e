import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "./open-api.js";
import type { Direction } from "./schemas/google-annotations.js";
import { createSchemas, type SchemaOptions } from "./schemas/schemas.js";

/** Returns the schema of a message that stands alone. */
export type MessageSchema = (desc: DescMessage, direction: Direction) => Schema;

/**
 * Creates the function that returns the JSON Schema (2020-12) of a message as it is in an OpenAPI document, without references to other schemas:
 * many readers do not follow them. Only a message that contains itself stays a reference, to `$defs`.
 * https://json-schema.org/draft/2020-12/json-schema-core
 */
export function createMessageSchema(options: SchemaOptions): MessageSchema {
  return (desc, direction) => {
    const isRequest = direction === "request";
    const schemas = createSchemas(isRequest ? [desc] : [], isRequest ? [] : [desc], options);
    const schema = schemas.ofMessage(desc, direction);
    const components = schemas.components();
    const recursive = new Set<string>();
    const inlined = inline(schema as JsonObject, components, [], recursive) as JsonObject;
    // The iteration includes the names that it adds.
    const definitions = new Map<string, JsonValue>();
    for (const name of recursive) {
      definitions.set(name, inline((components[name] ?? {}) as JsonObject, components, [name], recursive));
    }
    return recursive.size === 0 ? inlined : { ...inlined, $defs: Object.fromEntries(definitions) };
  };
}

/** Keywords whose values are data or names. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);

/** A schema, or a part of one, with components in place of references. `parents` are the components around it. */
function inline(
  value: JsonValue,
  components: Readonly<Record<string, Schema>>,
  parents: readonly string[],
  recursive: Set<string>,
  isMap = false,
): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => inline(each, components, parents, recursive));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (!isMap && typeof value.$ref === "string") {
    const { $ref, ...own } = value;
    const name = value.$ref.slice(value.$ref.lastIndexOf("/") + 1);
    if (parents.includes(name)) {
      recursive.add(name);
      return { ...own, $ref: `#/$defs/${name}` };
    }
    const target = inline((components[name] ?? {}) as JsonObject, components, [...parents, name], recursive);
    return { ...(target as JsonObject), ...own };
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      // Of OpenAPI, not of JSON Schema.
      if (!isMap && key === "discriminator") {
        return [];
      }
      const isData = !isMap && DATA.has(key);
      const child = isData
        ? each
        : inline(each, components, parents, recursive, !isMap && key === "properties");
      return [[key, child]];
    }),
  );
}
