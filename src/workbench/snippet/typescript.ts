import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { serviceNameOf } from "@utility-tools/client";
import { jsonText } from "./json-text.js";
import { KEY_VARIABLE, type SnippetRequest } from "./snippet-request.js";

/** A call as a module of TypeScript that makes it with the client of this package. */
export function typeScriptSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const enums = new Map<string, string>();
  const literal = messageLiteral(reflect<DescMessage>(method.input, message), enums, "");
  const options = needsKey ? `, {\n  apiKey: process.env.${KEY_VARIABLE},\n}` : "";
  return [
    'import { createUtilityToolsClient } from "utility-tools";',
    ...[...enums].map(([name, module]) => `import { ${name} } from ${jsonText(module)};`),
    "",
    `const client = createUtilityToolsClient(${jsonText(baseUrl)}${options});`,
    `const answer = await client.${serviceNameOf(method.parent)}.${method.localName}(${literal});`,
  ].join("\n");
}

/** Where the package has what was generated of a proto. */
function moduleOf({ file }: DescEnum): string {
  return file.name.replace(/^utilitytools\//, "utility-tools/");
}

/** The most columns of an object on one line. */
const LINE = 48;

/** The fields that are set, as an object; adds the enums that it needs, with the modules that they are in. */
function messageLiteral(message: ReflectMessage, enums: Map<string, string>, indent: string): string {
  const inner = `${indent}  `;
  const members = message.sortedFields
    .filter((field) => message.isSet(field))
    .map((field) => `${field.localName}: ${fieldLiteral(message, field, enums, inner)}`);
  return wrapped("{", members, "}", indent);
}

function fieldLiteral(
  message: ReflectMessage,
  field: DescField,
  enums: Map<string, string>,
  indent: string,
): string {
  switch (field.fieldKind) {
    case "list": {
      const elements = [...message.get(field)].map((each) => valueLiteral(each, field, enums, `${indent}  `));
      return wrapped("[", elements, "]", indent);
    }
    case "map":
      throw new Error(`${field.parent.typeName}.${field.name}: there is no literal for a map`);
    default:
      return valueLiteral(message.get(field), field, enums, indent);
  }
}

function valueLiteral(value: unknown, field: DescField, enums: Map<string, string>, indent: string): string {
  if (field.enum !== undefined) {
    const known = field.enum.value[Number(value)];
    if (known !== undefined) {
      enums.set(field.enum.name, moduleOf(field.enum));
      return `${field.enum.name}.${known.localName}`;
    }
  }
  if (field.message !== undefined) {
    return messageLiteral(value as ReflectMessage, enums, indent);
  }
  if (typeof value === "bigint") {
    return `${value}n`;
  }
  return typeof value === "number" ? String(value) : jsonText(value as string | boolean);
}

function wrapped(open: string, parts: readonly string[], close: string, indent: string): string {
  const space = open === "{" ? " " : "";
  const line = parts.length === 0 ? `${open}${close}` : `${open}${space}${parts.join(", ")}${space}${close}`;
  if (line.length <= LINE || parts.length === 0) {
    return line;
  }
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}${close}`;
}
