import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fieldDocsOf } from "connect-transcoding/openapi";
import type { ComponentChildren } from "preact";
import { commentOf } from "./comments.js";
import { fieldLabel } from "./field-text.js";
import "./fact-list.css";

interface FactListProps<Desc extends DescMessage> {
  readonly desc: Desc;
  readonly message: MessageShape<Desc>;
  /** The local names of the fields to show, in this order. */
  readonly fields: readonly string[];
  /** How to show a field that is more than text, numbers or yes and no, by its local name. Nothing stands for no value. */
  readonly show?: Readonly<Record<string, () => ComponentChildren>>;
}

/** Fields of a message with their values; what each is called, and what it is, the schema says. */
export function FactList<Desc extends DescMessage>({
  desc,
  message,
  fields,
  show = {},
}: FactListProps<Desc>) {
  return (
    <dl class="fact-list">
      {desc.fields
        .filter(({ localName }) => fields.includes(localName))
        .sort((one, other) => fields.indexOf(one.localName) - fields.indexOf(other.localName))
        .map((field) => (
          <div key={field.localName}>
            <dt title={commentOf(field)}>{fieldLabel(field)}</dt>
            <dd>
              {show[field.localName]?.() ?? <FieldValue field={field} value={fieldValueOf(message, field)} />}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** The value of a field of scalars as text. */
export function FieldValue({ field, value }: { readonly field: DescField; readonly value: unknown }) {
  if (Array.isArray(value) && value.length > 0) {
    return <>{value.join(", ")}</>;
  }
  if (typeof value === "boolean") {
    return <>{value ? "Yes" : "No"}</>;
  }
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  if (text === "") {
    return <NoValue />;
  }
  return fieldDocsOf(field).formats.includes("uri") ? <a href={text}>{text}</a> : text;
}

/** Stands where there is no value. */
export function NoValue() {
  return (
    <span class="no-value">
      <span aria-hidden="true">–</span>
      <span class="off-screen">none</span>
    </span>
  );
}

/** The value of a field, as protobuf-es keeps it. */
export function fieldValueOf(message: object, field: DescField): unknown {
  return Reflect.get(message, field.localName);
}
