/** The characters that separate values. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;

/**
 * Formats a row of comma-separated values (RFC 4180), without a line break. Only fields that need quotes have them.
 *
 * @param delimiter one of {@link DELIMITERS}
 */
export function formatCsvRow(fields: readonly string[], delimiter = ","): string {
  const special = SPECIAL.get(delimiter) ?? /["\r\n]/;
  let row = "";
  let separator = "";
  for (const field of fields) {
    row += separator + (special.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
    separator = delimiter;
  }
  return row;
}

/** Returns the delimiter that a first line such as `sep=;` names, as spreadsheets write it; undefined for other lines. */
export function namedDelimiter(line: string): string | undefined {
  return /^sep=([,;|\t])\r?$/i.exec(line)?.[1];
}

/** The characters for which a field needs quotes, by delimiter. */
const SPECIAL = new Map<string, RegExp>(DELIMITERS.map((each) => [each, new RegExp(`["\r\n${each}]`)]));

/** The quoted text at the beginning of a field. */
export interface QuotedText {
  readonly value: string;
  /** The position after the closing quote. */
  readonly next: number;
  /** False if the closing quote is missing; then the text ends with the input. */
  readonly isClosed: boolean;
}

/** Reads the quoted text at a position, in which two quotes stand for one (RFC 4180). It is empty if there is no quote. */
export function readQuotedText(text: string, start: number): QuotedText {
  if (text[start] !== '"') {
    return { value: "", next: start, isClosed: true };
  }
  let value = "";
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      return { value: value + text.slice(at), next: text.length, isClosed: false };
    }
    if (text[quote + 1] !== '"') {
      return { value: value + text.slice(at, quote), next: quote + 1, isClosed: true };
    }
    value += text.slice(at, quote + 1);
    at = quote + 2;
  }
}

/**
 * Parses comma-separated values (RFC 4180) into rows of fields. Rows end with CRLF, LF or CR. Malformed text does not fail: a quote
 * inside an unquoted field is an ordinary character, text after a closing quote belongs to the field, and a missing closing
 * quote is assumed at the end of the text.
 *
 * @param delimiter one of {@link DELIMITERS}
 */
export function parseCsv(text: string, delimiter: string): string[][] {
  const end = new RegExp(`[${delimiter}\r\n]`, "g");
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    const quoted = readQuotedText(text, at);
    end.lastIndex = quoted.next;
    const stop = end.exec(text)?.index ?? text.length;
    row.push(quoted.value + text.slice(quoted.next, stop));
    at = stop + 1;
    if (text[stop] !== delimiter) {
      rows.push(row);
      row = [];
      at += text[stop] === "\r" && text[at] === "\n" ? 1 : 0;
    }
  }
  return rows;
}

/**
 * Makes a text safe for spreadsheets, which run a cell that starts with `=`, `+`, `-` or `@` as a formula: puts an apostrophe
 * before it. Numbers stay as they are. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

/**
 * Makes names of columns unique: a name that occurs again gets a number, as in `country`, `country_2`.
 *
 * @param taken other columns, whose names stay as they are
 */
export function uniqueNames(names: readonly string[], taken: readonly string[] = []): string[] {
  const seen = new Set(taken);
  /** The number after the last one of each name. */
  const next = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let number = next.get(name) ?? 2;
    for (; seen.has(unique); number++) {
      unique = `${name}_${number}`;
    }
    next.set(name, number);
    seen.add(unique);
    return unique;
  });
}
