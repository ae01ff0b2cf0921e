import type { DescField } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { fieldLabel } from "./field-text.js";
import "./table.css";

interface FieldTableProps {
  /** A column each. */
  readonly fields: readonly DescField[];
  /** What the table is called: a text, or the id of an element that has it. */
  readonly name: { readonly text: string } | { readonly id: string };
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls in its frame, with a heading for each field. */
export function FieldTable({ fields, name, children }: FieldTableProps) {
  const label = "id" in name ? { "aria-labelledby": name.id } : { "aria-label": name.text };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
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
