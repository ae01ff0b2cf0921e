import { readQuotedText } from "../../text/csv.js";
import { createLineSplitter, type Line } from "./lines.js";

/** A record of CSV, or the reason why it is not usable. */
export type CsvRecord =
  | {
      readonly kind: "record";
      /** The record as it stands in the input, without its line break. */
      readonly text: string;
      readonly cells: readonly string[];
      readonly lineBreak: "\n" | "\r\n";
    }
  | { readonly kind: "unclosed"; readonly start: string }
  | Exclude<Line, { readonly kind: "text" }>;

/** Splits a stream of bytes into records. */
export interface CsvReader {
  /** Returns the records that the chunk completes. */
  push(chunk: Buffer): CsvRecord[];
  /** Returns what is left at the end of the input. */
  end(): CsvRecord[];
}

/** The characters of an unusable record that are shown. */
const SHOWN_CHARACTERS = 64;

/**
 * Creates a reader of CSV (RFC 4180) in UTF-8, with LF or CRLF between records. Blank lines between records are skipped. A
 * quotation mark inside a value that has none around it is text. A record whose quotation marks are not closed within `maxBytes`
 * is unusable, and reading continues after it.
 *
 * @param maxBytes the maximum length of a record, at least 64
 */
export function createCsvReader(maxBytes: number, delimiter = ","): CsvReader {
  const splitter = createLineSplitter({ maxBytes, keepsAll: true });
  /** The beginning of a record with a line break inside quotation marks. */
  let open: string | undefined;

  function add(line: Line, records: CsvRecord[]): void {
    if (line.kind !== "text") {
      closeOpen(records);
      records.push(line);
      return;
    }
    const text = open === undefined ? line.text : `${open}\n${line.text}`;
    // While no quotation mark closes the open value, the record is not read again.
    const record = open === undefined || isClosedBy(line.text) ? readRecord(text, delimiter) : undefined;
    if (record === undefined) {
      open = text;
      if (text.length > maxBytes) {
        closeOpen(records);
      }
      return;
    }
    open = undefined;
    if (text.trim() !== "") {
      records.push(record);
    }
  }

  function closeOpen(records: CsvRecord[]): void {
    if (open !== undefined) {
      records.push({ kind: "unclosed", start: `${open.slice(0, SHOWN_CHARACTERS)}…` });
      open = undefined;
    }
  }

  function addAll(lines: readonly Line[]): CsvRecord[] {
    const records: CsvRecord[] = [];
    for (const line of lines) {
      add(line, records);
    }
    return records;
  }

  return {
    push: (chunk) => addAll(splitter.push(chunk)),
    end() {
      const records = addAll(splitter.end());
      closeOpen(records);
      return records;
    },
  };
}

/** Whether a line closes a value that is open before it. */
function isClosedBy(line: string): boolean {
  return line.includes('"') && readQuotedText(`"${line}`, 0).isClosed;
}

/** Returns undefined if a quotation mark is not closed. */
function readRecord(line: string, delimiter: string): CsvRecord | undefined {
  const lineBreak = line.endsWith("\r") ? "\r\n" : "\n";
  const text = lineBreak === "\n" ? line : line.slice(0, -1);
  const cells = readCells(text, delimiter);
  return cells && { kind: "record", text, cells, lineBreak };
}

/** Reads the values of a record. Returns undefined if a quotation mark is not closed. */
function readCells(text: string, delimiter: string): string[] | undefined {
  if (!text.includes('"')) {
    return text.split(delimiter);
  }
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const quoted = readQuotedText(text, at);
    if (!quoted.isClosed) {
      return undefined;
    }
    const end = text.indexOf(delimiter, quoted.next);
    if (end === -1) {
      cells.push(quoted.value + text.slice(quoted.next));
      return cells;
    }
    cells.push(quoted.value + text.slice(quoted.next, end));
    at = end + 1;
  }
}
