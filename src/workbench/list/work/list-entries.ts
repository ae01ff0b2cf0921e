import type { AnsweredList } from "./answers.js";
import type { ListLayout, ListText } from "./read-list.js";

/** A list that can be sent. */
export interface ListEntries extends Pick<AnsweredList, "header" | "records" | "column"> {
  /** One input per record; "" for a record without one. */
  readonly inputs: readonly string[];
  readonly delimiter: string | undefined;
}

/** A list without rows. */
export const NO_ENTRIES: ListEntries = {
  header: [],
  records: [],
  column: 0,
  inputs: [],
  delimiter: undefined,
};

/** Separates the header of a list from its rows, and reads the input of each row. */
export function entriesOf(
  { records, delimiter, itemOf }: ListText,
  { column, hasHeader }: ListLayout,
): ListEntries {
  const rows = hasHeader ? records.slice(1) : records;
  const names = (hasHeader ? records[0] : undefined) ?? [];
  const width = rows.slice(0, 1_000).reduce((most, row) => Math.max(most, row.length), names.length);
  const header = Array.from(
    { length: width },
    (_, index) => names[index]?.trim() || (width === 1 ? "input" : `column_${index + 1}`),
  );
  const inputOf = (field: string) => itemOf?.(field) ?? field.trim();
  return { header, records: rows, column, delimiter, inputs: rows.map((row) => inputOf(row[column] ?? "")) };
}

/**
 * Replaces the inputs of a list with the numbers of their rows, and omits the columns that `publicColumn` does not match. Without
 * `publicColumn`, the inputs are no secrets, and the list stays as it is.
 */
export function withoutSecrets(entries: ListEntries, publicColumn: RegExp | undefined): ListEntries {
  if (publicColumn === undefined) {
    return entries;
  }
  const { header, records, column } = entries;
  const kept = header.flatMap((name, index) => (index !== column && publicColumn.test(name) ? [index] : []));
  return {
    ...entries,
    header: ["row", ...kept.map((index) => header[index] ?? "")],
    records: records.map((record, row) => [String(row + 1), ...kept.map((index) => record[index] ?? "")]),
    column: 0,
  };
}
