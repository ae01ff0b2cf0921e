import type { DescField, DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { useCallback, useMemo, useState } from "preact/hooks";
import { fieldSurface } from "../../openapi/field-surface.js";
import { fieldValue } from "./field-text.js";

/** What somebody has filled in, for one request. */
export interface Form<Desc extends DescMessage> {
  readonly desc: Desc;
  /** Text by the local name of its field; "" for what is left out. */
  readonly values: Readonly<Record<string, string>>;
  readonly set: (localName: string, text: string) => void;
  /** What the values come to; the same object as long as they are the same. */
  readonly request: MessageInitShape<Desc>;
}

/** The values of a form. It begins with `initial`, and with the defaults of fields that have one. */
export function useForm<Desc extends DescMessage>(
  desc: Desc,
  initial: Readonly<Record<string, string>> = {},
): Form<Desc> {
  const [values, setValues] = useState(() => ({ ...defaultValues(desc), ...initial }));
  const set = useCallback(
    (localName: string, text: string) => setValues((before) => ({ ...before, [localName]: text })),
    [],
  );
  const request = useMemo(() => requestOf(desc, values), [desc, values]);
  return { desc, values, set, request };
}

/** The examples that the schema has of a request's fields, for a form that begins with them. */
export function exampleValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldSurface(field).example);
}

/** The request that the examples of the schema make. */
export function exampleRequest<Desc extends DescMessage>(desc: Desc): MessageInitShape<Desc> {
  return requestOf(desc, exampleValues(desc));
}

function defaultValues(desc: DescMessage): Record<string, string> {
  return textsOf(desc, (field) => fieldSurface(field).defaultValue);
}

function textsOf(desc: DescMessage, textOf: (field: DescField) => string): Record<string, string> {
  const texts = desc.fields.map((field) => [field.localName, textOf(field)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

function requestOf<Desc extends DescMessage>(
  desc: Desc,
  values: Readonly<Record<string, string>>,
): MessageInitShape<Desc> {
  const set = desc.fields.flatMap((field) => {
    const text = values[field.localName] ?? "";
    return text === "" ? [] : [[field.localName, fieldValue(field, text)] as const];
  });
  // The values are what protobuf-es has for the types of their fields, which TypeScript cannot tell of any message.
  return Object.fromEntries(set) as MessageInitShape<Desc>;
}
