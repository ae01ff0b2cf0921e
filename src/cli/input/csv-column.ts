import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The column of CSV with the inputs. */
export interface CsvColumn {
  readonly index: number;
  /** Whether the first record names the columns. */
  readonly hasHeader: boolean;
}

/**
 * Chooses the column with the inputs by the first record. Without a wanted name, a column matches if its name has a word of the
 * field's name: `ip`, `Client IP` and `ip_address` match `ip_address`. If none of one column matches, the first record is an input.
 *
 * @param field the name of the field for the inputs, in snake case
 * @param wanted the name of the column; undefined: it is detected
 */
export function chooseColumn(
  first: readonly string[],
  field: string,
  wanted: string | undefined,
): Result<CsvColumn, Failure<"USAGE">> {
  const named = `it has: ${first.map((name) => name.trim()).join(", ")}`;
  if (wanted !== undefined) {
    const index = first.findIndex((name) => sameName(name, wanted));
    return index === -1
      ? fail("USAGE", `--column: the header of the input has no column '${wanted}'; ${named}`)
      : ok({ index, hasHeader: true });
  }
  const exact = first.findIndex((name) => sameName(name, field));
  const words = field.split("_");
  const matching = first.flatMap((name, index) =>
    wordsOf(name).some((word) => words.includes(word)) ? [index] : [],
  );
  const [index = exact, ...others] = exact === -1 ? matching : [exact];
  if (index !== -1 && others.length === 0) {
    return ok({ index, hasHeader: true });
  }
  if (first.length === 1) {
    return ok({ index: 0, hasHeader: false });
  }
  const problem =
    others.length > 0 ? `several columns may have the inputs` : `no column has the name '${field}'`;
  return fail("USAGE", `${problem}: name one with --column; ${named}`);
}

function sameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Returns the words of a column's name. A text with other characters, such as an address, is not a name, and has none. */
function wordsOf(name: string): string[] {
  return /^[\w -]+$/.test(name.trim())
    ? name
        .trim()
        .replace(/([a-z])([A-Z])/g, "$1_$2")
        .toLowerCase()
        .split(/[ _-]+/)
    : [];
}
