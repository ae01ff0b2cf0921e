import { DELIMITERS, namedDelimiter, parseCsv } from "../../../text/csv.js";
import { decodeWindows1252, detectEncoding } from "../../../text/encoding.js";

/** What the items of a list look like. */
export interface ItemFormat {
  /** Returns whether a text is probably an item. The service decides. */
  readonly looksRight: (text: string) => boolean;
  /** Matches the names of columns that contain items. */
  readonly columnName: { test(name: string): boolean };
  /** Creates a function that returns the items in the lines of a log, or in values, in their order. Default: they have no other text. */
  readonly createFinder?: () => (line: string) => readonly string[];
  /** Whether a line is one item, whatever characters it has. Only a table with a header is split then. */
  readonly isWholeLine?: boolean;
}

/** A list as it was entered. */
export interface ListText {
  /** One record per line of a table; one record with one field per item of a plain list. Blank lines are omitted. */
  readonly records: readonly (readonly string[])[];
  /** The delimiter of a table; undefined for a plain list. */
  readonly delimiter: string | undefined;
  /** Returns the item in a field; undefined if it is the field. Absent if fields are items. */
  readonly itemOf?: (field: string) => string | undefined;
}

/** Where the items of a list are. */
export interface ListLayout {
  /** The index of the column with the items. */
  readonly column: number;
  /** Whether the first record has the names of the columns. */
  readonly hasHeader: boolean;
}

/** How many characters of a list the format is detected from. */
const SAMPLE_LENGTH = 50_000;

/** How many records the layout is detected from. */
const SAMPLE_RECORDS = 200;

/**
 * Reads a list: a table with commas, semicolons or tabs (RFC 4180), or a plain list with an item per line. Items of a plain list
 * may also be separated by commas, semicolons and white space, unless they are whole lines. Ignores a byte order mark.
 */
export function readList(text: string, format: ItemFormat): ListText {
  const unmarked = text.replace(/^\uFEFF/, "");
  const [first = ""] = unmarked.slice(0, 10).split("\n", 1);
  const named = namedDelimiter(first);
  const content = named === undefined ? unmarked : unmarked.slice(first.length + 1);
  const delimiter = named ?? findDelimiter(content, format);
  const find = format.createFinder?.();
  /** The items of lines, which the header of a log can decide. */
  const found = new Map<string, string>();
  const records =
    delimiter === undefined ? splitItems(content, format, find, found) : parseCsv(content, delimiter);
  const itemOf = (field: string) => (delimiter === undefined ? found.get(field) : find?.(field)[0]);
  return {
    delimiter,
    records: records.filter((record) => record.some((field) => field.trim() !== "")),
    ...(find && { itemOf }),
  };
}

/** Returns the delimiter with which the first lines are a table; undefined for a plain list. */
function findDelimiter(text: string, format: ItemFormat): string | undefined {
  // The last line of the sample may be incomplete.
  const sample = text.length <= SAMPLE_LENGTH ? text : text.slice(0, text.lastIndexOf("\n", SAMPLE_LENGTH));
  const tables = DELIMITERS.flatMap((delimiter) => {
    const records = parseCsv(sample, delimiter).filter(
      ([first = "", ...rest]) => first.trim() + rest.join(""),
    );
    return isTable(records, format) ? [{ delimiter, width: records[0]?.length ?? 0, records }] : [];
  });
  if (isLog(sample, format, tables)) {
    return undefined;
  }
  return tables.sort((one, other) => other.width - one.width)[0]?.delimiter;
}

/** Returns whether most lines have an item beside other text, and no column of a table has items alone. */
function isLog(
  sample: string,
  { createFinder, looksRight }: ItemFormat,
  tables: readonly { readonly records: readonly (readonly string[])[] }[],
): boolean {
  const find = createFinder?.();
  const hasItems = tables.some(({ records }) =>
    records[0]?.some((_, column) => {
      const right = records.filter((record) => looksRight(record[column]?.trim() ?? ""));
      return right.length >= records.length / 2;
    }),
  );
  if (find === undefined || hasItems) {
    return false;
  }
  const lines = sample.split(/[\r\n]+/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const first = lines.slice(0, SAMPLE_RECORDS);
  return first.filter((line) => find(line).length > 0).length > first.length / 2;
}

/** Returns whether records form a table: two or more rows of the same width, with a header or a column without items. */
function isTable(records: readonly (readonly string[])[], format: ItemFormat): boolean {
  const { looksRight, isWholeLine = false } = format;
  const width = records[0]?.length ?? 0;
  const others = records.filter((record) => record.length !== width).length;
  if (records.length < 2 || width < 2 || others > records.length / 10) {
    return false;
  }
  const [first = [], ...rest] = records;
  const isItems = (rows: readonly (readonly string[])[], column: number) => {
    const fields = rows.map((record) => record[column]?.trim() ?? "").filter((field) => field !== "");
    return fields.filter(looksRight).length >= fields.length / 2;
  };
  if (isWholeLine) {
    // Texts have commas as well: the header must name the items, or the rows below it must have them.
    const isOfItems = (name: string, column: number) =>
      format.columnName.test(name.trim()) ||
      (isItems(rest, column) && rest.some((record) => record[column]?.trim()));
    return !first.some((field) => looksRight(field.trim())) && first.some(isOfItems);
  }
  return (
    !first.some((field) => looksRight(field.trim())) || first.some((_, column) => !isItems(records, column))
  );
}

/** Splits a plain list into records with one field each. Keeps white space inside a text that does not consist of items. */
function splitItems(
  text: string,
  { looksRight, isWholeLine }: ItemFormat,
  find: ((line: string) => readonly string[]) | undefined,
  found: Map<string, string>,
): string[][] {
  return text.split(/[\r\n]+/).flatMap((line) => {
    const parts = line.split(/[,;\s]+/).filter((part) => part !== "");
    if (find !== undefined && !parts.every(looksRight)) {
      const [item] = find(line);
      if (item !== undefined) {
        found.set(line, item);
      }
      // A line that begins with # describes others.
      return line.startsWith("#") ? [] : item === undefined ? [[line.trim()]] : [[line]];
    }
    const quoted = /^\s*"((?:[^"]|"")*)"\s*$/.exec(line)?.[1];
    if (quoted !== undefined) {
      return [[quoted.replaceAll('""', '"').trim()]];
    }
    if (isWholeLine) {
      return [[line.trim()]];
    }
    return line.split(/[,;\t]/).flatMap((part) => {
      const words = part.trim().split(/\s+/);
      return words.length > 1 && words.every(looksRight) ? words.map((word) => [word]) : [[part.trim()]];
    });
  });
}

/** Detects the layout of a list: the column whose fields look right most often, else the one with a matching name. */
export function detectLayout({ records }: ListText, format: ItemFormat): ListLayout {
  const { looksRight, columnName, isWholeLine } = format;
  const [first = [], ...rest] = records.slice(0, SAMPLE_RECORDS);
  const names = first.map((name) => columnName.test(name.trim()));
  const scores = first.map(
    (_, column) => rest.filter((record) => looksRight(record[column]?.trim() ?? "")).length,
  );
  const best = Math.max(0, ...scores);
  const isLikely = (column: number) => scores[column] === best;
  const named = names.findIndex((isNamed, column) => isNamed && isLikely(column));
  const column =
    named === -1 && best === 0 ? names.indexOf(true) : named === -1 ? scores.indexOf(best) : named;
  const hasHeader =
    !first.some((field) => looksRight(field.trim())) &&
    // A line can be any text, such as the name of a column.
    (names.includes(true) || first.length > 1) &&
    (best > 0 || (names.includes(true) && (first.length > 1 || !isWholeLine)));
  return { column: Math.max(0, column), hasHeader };
}

/**
 * Decodes a text file: UTF-8, UTF-16 with a byte order mark as spreadsheets write it, else Windows-1252. Returns undefined for a
 * file that is not text.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const detected = detectEncoding(bytes);
  if (!detected.ok) {
    return undefined;
  }
  let text: string;
  try {
    text = new TextDecoder(detected.value.name, { fatal: true }).decode(bytes);
  } catch {
    text = decodeWindows1252(bytes);
  }
  return text.includes("\0") ? undefined : text;
}
