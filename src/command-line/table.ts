import { cutToWidth, displayWidth, padToWidth } from "./display-text.js";
import type { Style } from "./style.js";

/** How a table is laid out. */
export interface TableLayout {
  /** Columns in characters, each with its two blanks behind it; those that have no room are not there. */
  readonly widths: readonly number[];
  /** Which of the columns they are. */
  readonly shown: readonly number[];
}

const GAP = 2;
/** The least that is left of a column that is cut. */
const LEAST = 6;

/** Lays a table out on a terminal: from the left, as many columns as fit, the last one cut if need be. */
export function layOut(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): TableLayout {
  const shown: number[] = [];
  const widths: number[] = [];
  let left = width;
  for (const [index, name] of header.entries()) {
    // What each row repeats of an earlier column says nothing new.
    const isRepeated =
      rows.length > 0 && shown.some((earlier) => rows.every((row) => row[earlier] === row[index]));
    if (isRepeated) {
      continue;
    }
    const wanted = rows.reduce(
      (most, row) => Math.max(most, displayWidth(row[index] ?? "")),
      displayWidth(name),
    );
    if (left < Math.min(wanted, LEAST)) {
      break;
    }
    const given = Math.min(wanted, left);
    shown.push(index);
    widths.push(given);
    left -= given + GAP;
  }
  return { widths, shown };
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
