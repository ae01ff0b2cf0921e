import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { addressIn } from "../../text/address-in.js";
import { type ColumnKind, columnRank, plainName } from "../../text/column-names.js";
import { DELIMITERS, parseCsv } from "../../text/csv.js";
import { findAddresses } from "../../text/find-address.js";
import { EMAIL_ADDRESS } from "../../text/recognize-input.js";

/** The column of CSV with the inputs. */
export interface CsvColumn {
  readonly index: number;
  /** Whether the first record names the columns. */
  readonly hasHeader: boolean;
}

/** What is known of the inputs of a field. */
interface FieldRules {
  readonly kind: ColumnKind;
  /** Whether a value is probably an input. */
  readonly looksRight: (text: string) => boolean;
}

/** The fields whose columns have other names as well, by their names in snake case. */
const FIELDS: Readonly<Record<string, FieldRules>> = {
  ip_address: {
    kind: "address",
    looksRight: (text) => addressIn(text) !== undefined || findAddresses(text, "client").length > 0,
  },
  email: { kind: "email", looksRight: (text) => EMAIL_ADDRESS.test(text) },
  country: { kind: "country", looksRight: () => false },
};

/** How many records the column is detected from, if the header does not name it. */
export const SAMPLE_RECORDS = 100;

/**
 * Chooses the column with the inputs. Without a wanted name, that is the one whose name says so: it is the field's name, another name of
 * the same, or has a word of it: `ip`, `Client IP` and `ip_address` match `ip_address`. If no column matches, or several do, the contents decide.
 * If none of one column matches, the first record is an input.
 *
 * @param field the name of the field for the inputs, in snake case
 * @param wanted the name of the column; undefined: it is detected
 * @param rows the records after the first one
 */
export function chooseColumn(
  first: readonly string[],
  field: string,
  wanted: string | undefined,
  rows: readonly (readonly string[])[] = [],
): Result<CsvColumn, Failure<"USAGE">> {
  const named = `it has: ${first.map((name) => name.trim()).join(", ")}`;
  if (wanted !== undefined) {
    const index = indexOfName(first, wanted);
    return index === -1
      ? fail("USAGE", `--column: the header of the input has no column '${wanted}'; ${named}`)
      : ok({ index, hasHeader: true });
  }
  const matching = namedColumns(first, field);
  if (matching.length === 0 && first.length === 1) {
    return ok({ index: 0, hasHeader: false });
  }
  const { looksRight } = FIELDS[field] ?? { looksRight: () => false };
  // A header is no row of values. Without a name that matches, the first record can be one.
  const sample = matching.length > 0 || rows.length > 0 ? rows : [first];
  const candidates = matching.length > 0 ? matching : [...first.keys()];
  const [index, ...others] =
    matching.length === 1 ? matching : fullestColumns(sample, candidates, looksRight);
  if (index !== undefined && others.length === 0) {
    const isNamed = matching.includes(index);
    return ok({ index, hasHeader: isNamed || !looksRight(first[index]?.trim() ?? "") });
  }
  const problem =
    matching.length > 0 || others.length > 0
      ? `several columns may have the inputs`
      : `no column has the name '${field}'`;
  return fail("USAGE", `${problem}: name one with --column; ${named}`);
}

/** Whether the header alone names the column, so that no other record is needed. */
export function isNamedColumn(first: readonly string[], field: string, wanted: string | undefined): boolean {
  return wanted !== undefined || first.length === 1 || namedColumns(first, field).length === 1;
}

/** The index of a column by its name, first as it stands and then without punctuation; -1 if no column has the name. */
function indexOfName(first: readonly string[], wanted: string): number {
  const exact = first.findIndex((name) => name.trim().toLowerCase() === wanted.trim().toLowerCase());
  return exact === -1 && plainName(wanted) !== ""
    ? first.findIndex((name) => plainName(name) === plainName(wanted))
    : exact;
}

/** The columns whose names match a field best. */
function namedColumns(first: readonly string[], field: string): number[] {
  const exact = indexOfName(first, field);
  if (exact !== -1) {
    return [exact];
  }
  const { kind } = FIELDS[field] ?? { kind: undefined };
  const ranks = first.map((name) => (kind === undefined ? 0 : columnRank(name, kind)));
  const best = Math.max(0, ...ranks);
  if (best > 0) {
    return ranks.flatMap((rank, index) => (rank === best ? [index] : []));
  }
  const words = field.split("_");
  return first.flatMap((name, index) => (wordsOf(name).some((word) => words.includes(word)) ? [index] : []));
}

/** The columns of which most values are inputs; of several, those with the most of them. */
function fullestColumns(
  rows: readonly (readonly string[])[],
  columns: readonly number[],
  looksRight: FieldRules["looksRight"],
): number[] {
  const counts = columns.map((column) => {
    const values = rows.map((row) => row[column]?.trim() ?? "").filter((value) => value !== "");
    const right = values.filter(looksRight).length;
    return right >= values.length / 2 ? right : 0;
  });
  const most = Math.max(0, ...counts);
  return most === 0 ? [] : columns.filter((_, index) => counts[index] === most);
}

/** Returns the words of a column's name. A text with other characters, such as an address, is not a name, and has none. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  return /^[\p{L}\d_ ()#-]+$/u.test(name.trim())
    ? spaced.replace(/\be-mail\b/g, "email").split(/[ _()#-]+/)
    : [];
}

/**
 * Detects the delimiter of CSV by its first lines: the one with which a column has the inputs, and most records are as long as the first.
 * Without any, it is a comma.
 *
 * @param sample whole lines
 */
export function detectDelimiter(sample: string, field: string, wanted: string | undefined): string {
  let [best, bestScore] = [",", 0];
  for (const delimiter of DELIMITERS) {
    const records = parseCsv(sample, delimiter)
      .filter((record) => record.some((cell) => cell.trim() !== ""))
      .slice(0, SAMPLE_RECORDS + 1);
    const [first = [], ...rows] = records;
    const equal = records.filter((record) => record.length === first.length).length / records.length;
    const hasColumn = first.length > 1 && chooseColumn(first, field, wanted, rows).ok;
    const score = first.length < 2 ? 0 : (hasColumn ? 1_000 : 0) + 100 * equal + Math.min(first.length, 50);
    if (score > bestScore) {
      [best, bestScore] = [delimiter, score];
    }
  }
  return best;
}
