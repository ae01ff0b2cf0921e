import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { Field, Message } from "../../schema/schema.js";

/** Parses the form text of a field. Text that is not a number becomes NaN, which the service rejects. */
export function fieldValue({ kind, choices = [] }: Field, text: string): unknown {
  switch (kind) {
    case "enum":
      return choices.find((choice) => choice.text === text)?.number;
    case "string":
      return text;
    case "boolean":
      return text === "true";
    default:
      return Number(text);
  }
}

/** Returns the schema's example of each field of a request, as form text by local name. */
export function exampleValues(message: Message<DescMessage>): Record<string, string> {
  return textsOf(message, ({ example }) => example);
}

/** Returns the schema's default of each field of a request, as form text by local name. */
export function defaultValues(message: Message<DescMessage>): Record<string, string> {
  return textsOf(message, ({ defaultValue }) => defaultValue);
}

function textsOf(
  { fields }: Message<DescMessage>,
  textOf: (field: Field) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = textOf(field);
      return text === undefined ? [] : [[field.localName, text]];
    }),
  );
}

/** Builds a request from form texts by local name. Omits fields with empty text; a list has one element per line. */
export function requestOf<Desc extends DescMessage>(
  { fields }: Message<Desc>,
  values: Readonly<Record<string, string>>,
): MessageInitShape<Desc> {
  const set = fields.flatMap((field) => {
    const text = values[field.localName] ?? "";
    return text === "" ? [] : [[field.localName, elementsOrValue(field, text)] as const];
  });
  // TypeScript cannot derive the types of the values from fields that are only known at run time.
  return Object.fromEntries(set) as MessageInitShape<Desc>;
}

function elementsOrValue(field: Field, text: string): unknown {
  if (field.isList !== true) {
    return fieldValue(field, text);
  }
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => fieldValue(field, line));
}
