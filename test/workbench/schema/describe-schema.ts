import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DescField, type DescMessage, type DescService, ScalarType } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { enumNames, fieldDocsOf } from "connect-transcoding/openapi";
import type { Field, Message } from "../../../src/workbench/schema/schema.js";

/** Describes a message as panels use it. */
export function describeMessage<Desc extends DescMessage>(desc: Desc): Message<Desc> {
  return { name: desc.name, fields: desc.fields.map(describeField) };
}

function describeField(field: DescField): Field {
  const docs = fieldDocsOf(field);
  const choices =
    field.enum === undefined
      ? docs.allowedValues.map((text) => ({ text, title: text }))
      : [...enumNames(field.enum, "request")].map(([text, { number }]) => ({
          text,
          title: text.toUpperCase(),
          number,
        }));
  return {
    localName: field.localName,
    name: field.name,
    jsonName: field.jsonName,
    kind: kindOf(field),
    ...(field.fieldKind === "list" && { isList: true as const }),
    ...(docs.required && { isRequired: true as const }),
    ...(docs.example !== "" && { example: docs.example }),
    ...(docs.defaultValue !== "" && { defaultValue: docs.defaultValue }),
    ...(docs.maxLength > 0 && { maxLength: docs.maxLength }),
    ...(docs.maxItems > 0 && { maxItems: docs.maxItems }),
    ...(docs.maximum !== 0 && docs.maximum !== undefined && { maximum: Number(docs.maximum) }),
    ...(choices.length > 0 && { choices }),
  };
}

function kindOf({ scalar, enum: values, message }: DescField): Field["kind"] {
  if (message !== undefined) {
    return "message";
  }
  if (values !== undefined) {
    return "enum";
  }
  return scalar === ScalarType.STRING ? "string" : scalar === ScalarType.BOOL ? "boolean" : "number";
}

/** All messages of the services. */
export function messagesOf(): readonly DescMessage[] {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage): void => {
    if (!found.has(desc)) {
      found.add(desc);
      for (const { message } of desc.fields) {
        if (message !== undefined) {
          add(message);
        }
      }
    }
  };
  for (const { input, output } of Object.values<DescService>(SERVICES).flatMap(({ methods }) => methods)) {
    add(input);
    add(output);
  }
  return [...found];
}

/** The names of the messages that the page uses: in the calls of `messageNamed`. */
function namedMessages(): ReadonlySet<string> {
  const folder = fileURLToPath(new URL("../../../src/workbench/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  return new Set([...text.matchAll(/messageNamed<.*?>\(\s*"(\w+)"/gs)].map(([, name = ""]) => name));
}

/** Describes what panels show of the schema: the content of schema.json. */
export function describeSchema() {
  const named = namedMessages();
  const requests = Object.values<DescService>(SERVICES)
    .flatMap(({ methods }) => methods)
    .map(({ input }) => input)
    .filter(({ name }) => named.has(name));
  return { messages: Object.fromEntries(requests.map((desc) => [desc.name, describeMessage(desc).fields])) };
}
