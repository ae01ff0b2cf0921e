import { type DescField, type DescMessage, type MessageInitShape, ScalarType } from "@bufbuild/protobuf";
import { enumNames, fieldDocsOf } from "connect-transcoding/openapi";

/** A value that a field accepts, as form text, and its label. */
export interface FieldChoice {
  readonly text: string;
  readonly title: string;
}

/** Returns the values that a field accepts, if the schema lists them; otherwise an empty list. */
export function fieldChoices(field: DescField): readonly FieldChoice[] {
  if (field.enum !== undefined) {
    return [...enumNames(field.enum, "request").keys()].map((text) => ({ text, title: text.toUpperCase() }));
  }
  return fieldDocsOf(field).allowedValues.map((text) => ({ text, title: text }));
}

/** Parses the form text of a field. Text that is not a number becomes NaN, which the service rejects. */
export function fieldValue(field: DescField, text: string): unknown {
  if (field.enum !== undefined) {
    return enumNames(field.enum, "request").get(text)?.number;
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return text === "true";
    default:
      return Number(text);
  }
}

/** Returns the schema's example of each field of a request, as form text by local name. */
export function exampleValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldDocsOf(field).example);
}

/** Returns the request that the schema's examples make. */
export function exampleRequest<Desc extends DescMessage>(desc: Desc): MessageInitShape<Desc> {
  return requestOf(desc, exampleValues(desc));
}

/** Returns the schema's default of each field of a request, as form text by local name. */
export function defaultValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldDocsOf(field).defaultValue);
}

function textsOf(desc: DescMessage, textOf: (field: DescField) => string): Record<string, string> {
  const texts = desc.fields.map((field) => [field.localName, textOf(field)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** Builds a request from form texts by local name. Omits fields with empty text; a list has one element per line. */
export function requestOf<Desc extends DescMessage>(
  desc: Desc,
  values: Readonly<Record<string, string>>,
): MessageInitShape<Desc> {
  const set = desc.fields.flatMap((field) => {
    const text = values[field.localName] ?? "";
    return text === "" ? [] : [[field.localName, elementsOrValue(field, text)] as const];
  });
  // TypeScript cannot derive the types of the values from a descriptor that is only known at run time.
  return Object.fromEntries(set) as MessageInitShape<Desc>;
}

function elementsOrValue(field: DescField, text: string): unknown {
  if (field.fieldKind !== "list") {
    return fieldValue(field, text);
  }
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => fieldValue(field, line));
}
