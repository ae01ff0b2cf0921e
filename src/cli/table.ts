import { cutToWidth, displayWidth, padToWidth } from "./display-text.js";
import type { Style } from "./style.js";

/** How a table is laid out. */
export interface TableLayout {
  /** The columns that are shown, by their places in a row. */
  readonly shown: readonly number[];
  /** The width of each of them, in columns of the terminal. */
  readonly widths: readonly number[];
}

const GAP = 2;
/** What is left of a wide column at the least where columns are made narrower for others. */
const NARROWEST = 16;

/**
 * Lays a table out on a terminal. Where it is too wide, the widest columns are cut, down to a least width each; if that is not
 * enough, those on the right are left out.
 */
export function layOut(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): TableLayout {
  const shown = header.flatMap((_, index) => (isRepeated(rows, index) ? [] : [index]));
  const wanted = shown.map((index) =>
    [header, ...rows].reduce((most, row) => Math.max(most, displayWidth(row[index] ?? "")), 0),
  );
  const least = wanted.map((each) => Math.min(each, NARROWEST));
  while (least.length > 1 && totalOf(least) > width) {
    least.pop();
  }
  const widths = wanted.slice(0, least.length);
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { widths: widths.map((each) => Math.max(1, each)), shown: shown.slice(0, widths.length) };
}

/** Whether each row has in a column what an earlier column says already. */
function isRepeated(rows: readonly (readonly string[])[], column: number): boolean {
  const earlier = Array.from({ length: column }, (_, index) => index);
  return rows.length > 0 && earlier.some((other) => rows.every((row) => row[other] === row[column]));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, widths.length - 1);
}

/** One row, without blanks at its end. */
export function tableRow({ widths, shown }: TableLayout, cells: readonly string[]): string {
  return shown
    .map((index, position) => {
      const width = widths[position] ?? 0;
      return padToWidth(cutToWidth(cells[index] ?? "", width), width);
    })
    .join(" ".repeat(GAP))
    .trimEnd();
}

/** A whole table with its header, each row on a line. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string[] {
  const layout = layOut(header, rows, width);
  return [style.bold(tableRow(layout, header)), ...rows.map((row) => tableRow(layout, row))];
}
