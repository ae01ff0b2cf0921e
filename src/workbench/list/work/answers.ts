/** A value of a result. "" if it is unknown. */
export type Value = string | number | boolean;

/** The result for one input of a list. */
export interface Answer {
  /** The id of one of the kinds of the tool. */
  readonly kind: string;
  /** One value per column of the tool; empty with an error. */
  readonly values: readonly Value[];
  /** Why there are no values; "" if there are. */
  readonly error: string;
  /** What the table draws beside the values, and downloads do not have. */
  readonly drawing?: string;
}

/** A list with its answers. */
export interface AnsweredList {
  /** The names of the columns of the list. */
  readonly header: readonly string[];
  readonly records: readonly (readonly string[])[];
  /** The index of the column with the inputs. */
  readonly column: number;
  /** One answer per record; undefined until it arrives. */
  readonly answers: readonly (Answer | undefined)[];
  /** The names of the columns of the answers. */
  readonly columns: readonly string[];
}

/** Returns one of the values of a row: the fields of the record, the values of the answer, and the error. */
export function cellAt({ header, records, answers, columns }: AnsweredList, row: number, at: number): Value {
  if (at < header.length) {
    return records[row]?.[at] ?? "";
  }
  const { values, error } = answers[row] ?? {};
  return (at < header.length + columns.length ? values?.[at - header.length] : error) ?? "";
}
