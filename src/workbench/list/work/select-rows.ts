import { type AnsweredList, cellAt, type Value } from "./answers.js";

/** The order of the rows of a list. */
export interface RowOrder {
  /** The index of the column of `cellAt` to sort by; undefined keeps the order of the list. */
  readonly sortBy: number | undefined;
  readonly isDescending: boolean;
}

/**
 * Returns the indexes of all rows in order. Texts are compared without case and accents, and numbers in them by their value:
 * `9.9.9.9` comes before `10.0.0.1`. Rows with equal values keep their order; unknown values come last.
 */
export function sortRows(list: AnsweredList, { sortBy, isDescending }: RowOrder): number[] {
  const rows = list.records.map((_, row) => row);
  if (sortBy === undefined) {
    return rows;
  }
  const sign = isDescending ? -1 : 1;
  const keys = rows.map((row) => sortKey(cellAt(list, row, sortBy)));
  return rows.sort((one, other) => {
    const [a = "", b = ""] = [keys[one], keys[other]];
    if (a === "" || b === "") {
      return Number(a === "") - Number(b === "");
    }
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

/** Returns a key whose order is that of {@link sortRows}. Much faster to compare than with `Intl.Collator`. */
function sortKey(value: Value): string | number {
  if (typeof value === "number") {
    return value;
  }
  const text = String(value).toLowerCase();
  const letters = /^[ -~]*$/.test(text) ? text : text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  // Of two numbers, the one with more digits is larger.
  return letters.replaceAll(/\d+/g, (digits) => String.fromCharCode(0x30 + digits.length) + digits);
}

/** Which rows of a list are shown. */
export interface RowFilter {
  /** Shows rows that contain this text, in upper or lower case. "" shows all. */
  readonly text: string;
  /** The id of the kind of answers to show; "" shows all. */
  readonly kind: string;
}

/** Returns those of `rows` that a filter shows. */
export function filterRows(
  list: AnsweredList,
  rows: readonly number[],
  { text, kind }: RowFilter,
): readonly number[] {
  const wanted = text.trim();
  if (wanted === "" && kind === "") {
    return rows;
  }
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i");
  const isFound = (value: Value) => typeof value === "string" && pattern.test(value);
  return rows.filter((row) => {
    const answer = list.answers[row];
    return (
      (kind === "" || answer?.kind === kind) &&
      (wanted === "" ||
        list.records[row]?.some(isFound) ||
        answer?.values.some(isFound) ||
        isFound(answer?.error ?? ""))
    );
  });
}
