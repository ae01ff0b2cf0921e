import type { DescField, DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { fieldValue } from "./field-text.js";

/** The examples that the schema has of a request's fields, for a form that begins with them. */
export function exampleValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldDocsOf(field).example);
}

/** The request that the examples of the schema make. */
export function exampleRequest<Desc extends DescMessage>(desc: Desc): MessageInitShape<Desc> {
  return requestOf(desc, exampleValues(desc));
}

/** The defaults that the schema has of them. */
export function defaultValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldDocsOf(field).defaultValue);
}

function textsOf(desc: DescMessage, textOf: (field: DescField) => string): Record<string, string> {
  const texts = desc.fields.map((field) => [field.localName, textOf(field)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** The request that texts by the local names of fields come to; "" is left out, and a list has one element a line. */
export function requestOf<Desc extends DescMessage>(
  desc: Desc,
  values: Readonly<Record<string, string>>,
): MessageInitShape<Desc> {
  const set = desc.fields.flatMap((field) => {
    const text = values[field.localName] ?? "";
    return text === "" ? [] : [[field.localName, elementsOrValue(field, text)] as const];
  });
  // The values are what protobuf-es has for the types of their fields, which TypeScript cannot tell of any message.
  return Object.fromEntries(set) as MessageInitShape<Desc>;
}

function elementsOrValue(field: DescField, text: string): unknown {
  if (field.fieldKind !== "list") {
    return fieldValue(field, text);
  }
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => fieldValue(field, line));
}
