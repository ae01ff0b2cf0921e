import { readQuotedText } from "../../text/csv.js";

/**
 * Parses comma-separated values (RFC 4180) into rows of fields. Rows end with CRLF, LF or CR. Malformed text does not fail: a quote
 * inside an unquoted field is an ordinary character, text after a closing quote belongs to the field, and a missing closing
 * quote is assumed at the end of the text.
 *
 * @param delimiter one character: a comma, a semicolon or a tab
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
