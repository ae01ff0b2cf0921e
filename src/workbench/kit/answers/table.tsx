import type { ComponentChildren } from "preact";

interface TableFrameProps {
  /** The cells of the first row. */
  readonly head: ComponentChildren;
  /** The other rows. */
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly "aria-label"?: string;
  readonly "aria-labelledby"?: string;
}

/** A scrolling table. */
export function TableFrame({ head, children, class: classes = "", ...name }: TableFrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class={`table-frame ${classes}`} tabIndex={0} {...name}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** The heads of columns that are not sorted. */
export function Heads({ labels }: { readonly labels: readonly string[] }) {
  return labels.map((label) => (
    <th key={label} scope="col">
      {label}
    </th>
  ));
}

/** A dash in place of a missing value. */
export function NoValue() {
  return (
    <span class="soft">
      <span aria-hidden="true">–</span>
      <span class="off-screen">none</span>
    </span>
  );
}
