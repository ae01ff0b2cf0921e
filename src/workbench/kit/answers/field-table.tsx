import type { ComponentChildren } from "preact";
import type { Field } from "../../schema/schema.js";
import { fieldLabel } from "../text.js";

/** The value of a scalar field as text. */
export function FieldValue({ value }: { readonly value: unknown }) {
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
  return text;
}

/** A dash in place of a missing value. */
export function NoValue() {
  return (
    <span class="no-value">
      <span aria-hidden="true">–</span>
      <span class="off-screen">none</span>
    </span>
  );
}

/** Returns the value of a field of a message. */
export function fieldValueOf(message: object, field: Field): unknown {
  return Reflect.get(message, field.localName);
}

interface FieldTableProps {
  /** One column per field. */
  readonly fields: readonly Field[];
  /** The accessible name: a text, or the id of the element that contains it. */
  readonly name: { readonly text: string } | { readonly id: string };
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A scrolling table with one column per field. */
export function FieldTable({ fields, name, children }: FieldTableProps) {
  const label = "id" in name ? { "aria-labelledby": name.id } : { "aria-label": name.text };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class="table-frame" tabIndex={0} {...label}>
      <table>
        <thead>
          <tr>
            {fields.map((field) => (
              <th key={field.localName} scope="col">
                {fieldLabel(field)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
