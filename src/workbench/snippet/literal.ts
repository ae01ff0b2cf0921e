import type { DescEnum, DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { jsonLiteral } from "./json.js";

/** The maximum width of an object or a list on one line, in columns. */
const MAX_WIDTH = 48;

/** Writes the fields of a message that are set as a TypeScript object. Returns also the enums that the text refers to. */
export function messageLiteral<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
): { readonly literal: string; readonly enums: readonly DescEnum[] } {
  const enums = new Set<DescEnum>();
  const literal = objectLiteral(reflect<DescMessage>(desc, message), enums, "");
  return { literal, enums: [...enums] };
}

function objectLiteral(message: ReflectMessage, enums: Set<DescEnum>, indent: string): string {
  const inner = `${indent}  `;
  const members = message.sortedFields
    .filter((field) => message.isSet(field))
    .map((field) => `${field.localName}: ${fieldLiteral(message, field, enums, inner)}`);
  return wrapped("{", members, "}", indent);
}

function fieldLiteral(
  message: ReflectMessage,
  field: DescField,
  enums: Set<DescEnum>,
  indent: string,
): string {
  switch (field.fieldKind) {
    case "list": {
      const elements = [...message.get(field)].map((each) => valueLiteral(each, field, enums, `${indent}  `));
      return wrapped("[", elements, "]", indent);
    }
    case "map":
      throw new Error(`${field.parent.typeName}.${field.name}: snippets do not support maps`);
    default:
      return valueLiteral(message.get(field), field, enums, indent);
  }
}

function valueLiteral(value: unknown, field: DescField, enums: Set<DescEnum>, indent: string): string {
  if (field.enum !== undefined) {
    const known = field.enum.value[Number(value)];
    if (known !== undefined) {
      enums.add(field.enum);
      return `${field.enum.name}.${known.localName}`;
    }
  }
  if (field.message !== undefined) {
    return objectLiteral(value as ReflectMessage, enums, indent);
  }
  if (typeof value === "bigint") {
    return `${value}n`;
  }
  return typeof value === "number" ? String(value) : jsonLiteral(value as string | boolean);
}

function wrapped(open: string, parts: readonly string[], close: string, indent: string): string {
  const space = open === "{" ? " " : "";
  const line = parts.length === 0 ? `${open}${close}` : `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length <= MAX_WIDTH || parts.length === 0) {
    return line;
  }
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}${close}`;
}
