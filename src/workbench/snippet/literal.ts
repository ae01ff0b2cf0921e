import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { enclosed, jsonLiteral } from "./json.js";

/** Writes the fields of a message that are set as a TypeScript object. Returns also the enums that the text refers to. */
export function messageLiteral<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
): { readonly literal: string; readonly enums: readonly DescEnum[] } {
  const enums = new Set<DescEnum>();

  function objectLiteral({ fields }: DescMessage, json: JsonObject, indent: string): string {
    const members = fields.flatMap((field) => {
      const value = json[field.jsonName];
      return value === undefined ? [] : [`${field.localName}: ${literalOf(value, field, `${indent}  `)}`];
    });
    return enclosed("{", members, "}", indent, "TypeScript");
  }

  function literalOf(json: JsonValue, field: DescField, indent: string): string {
    if (field.fieldKind === "map") {
      throw new Error(`${field.parent.typeName}.${field.name}: snippets do not support maps`);
    }
    if (Array.isArray(json)) {
      const elements = json.map((each) => literalOf(each, field, `${indent}  `));
      return enclosed("[", elements, "]", indent, "TypeScript");
    }
    const known = field.enum?.values.find(({ name }) => name === json);
    if (known !== undefined) {
      enums.add(known.parent);
      return `${known.parent.name}.${known.localName}`;
    }
    return field.message === undefined
      ? jsonLiteral(json)
      : objectLiteral(field.message, json as JsonObject, indent);
  }

  const literal = objectLiteral(desc, toJson(desc, message) as JsonObject, "");
  return { literal, enums: [...enums] };
}
