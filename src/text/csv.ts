/**
 * Formats a row of comma-separated values (RFC 4180), without a line break. Only fields that need quotes have them.
 *
 * @param delimiter one character: a comma, a semicolon or a tab
 */
export function formatCsvRow(fields: readonly string[], delimiter = ","): string {
  return fields
    .map((field) =>
      field.includes(delimiter) || /["\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
    )
    .join(delimiter);
}

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
 * Makes names of columns unique: a name that occurs again gets a number, as in `country`, `country_2`.
 *
 * @param taken other columns, whose names stay as they are
 */
export function uniqueNames(names: readonly string[], taken: readonly string[] = []): string[] {
  const seen = new Set(taken);
  return names.map((name) => {
    let unique = name;
    for (let number = 2; seen.has(unique); number++) {
      unique = `${name}_${number}`;
    }
    seen.add(unique);
    return unique;
  });
}
