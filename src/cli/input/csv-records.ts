import { readQuotedText } from "../../text/csv.js";
import { invalidInput } from "../failures.js";
import { createLineReader, type Line, type Reader } from "./lines.js";

/** A record of CSV. If it is rejected, `text` is its beginning, and its only value. */
export interface CsvRecord extends Line {
  /** The record as it stands in the input, without its line break. */
  readonly text: string;
  readonly cells: readonly string[];
  readonly lineBreak: "\n" | "\r\n";
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
export function createCsvReader(maxBytes: number, delimiter = ","): Reader<CsvRecord> {
  const reader = createLineReader({ maxBytes, keepsAll: true });
  /** The beginning of a record with a line break inside quotation marks. */
  let open: string | undefined;

  function recordsOf(lines: readonly Line[], isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    const closeOpen = (): void => {
      if (open !== undefined) {
        records.push(unusable({ text: `${open.slice(0, SHOWN_CHARACTERS)}…`, rejected: UNCLOSED }));
        open = undefined;
      }
    };
    for (const line of lines) {
      if (line.rejected !== undefined) {
        closeOpen();
        records.push(unusable(line));
        continue;
      }
      const text = open === undefined ? line.text : `${open}\n${line.text}`;
      // While no quotation mark closes the open value, the record is not read again.
      const record = open === undefined || isClosedBy(line.text) ? readRecord(text, delimiter) : undefined;
      open = record === undefined ? text : undefined;
      if (record !== undefined && text.trim() !== "") {
        records.push(record);
      } else if (text.length > maxBytes) {
        closeOpen();
      }
    }
    if (isEnd) {
      closeOpen();
    }
    return records;
  }

  return { push: (chunk) => recordsOf(reader.push(chunk), false), end: () => recordsOf(reader.end(), true) };
}

const UNCLOSED = invalidInput("MALFORMED_RECORD", "a quotation mark is not closed");

function unusable(line: Line): CsvRecord {
  return { ...line, cells: [line.text], lineBreak: "\n" };
}

/** Whether a line closes a value that is open before it. */
function isClosedBy(line: string): boolean {
  return line.includes('"') && readQuotedText(`"${line}`, 0).isClosed;
}

/** Returns undefined if a quotation mark is not closed. */
function readRecord(line: string, delimiter: string): CsvRecord | undefined {
  const lineBreak = line.endsWith("\r") ? "\r\n" : "\n";
  const text = lineBreak === "\n" ? line : line.slice(0, -1);
  if (!text.includes('"')) {
    return { text, cells: text.split(delimiter), lineBreak };
  }
  const cells: string[] = [];
  let at = 0;
  do {
    const quoted = readQuotedText(text, at);
    if (!quoted.isClosed) {
      return undefined;
    }
    const end = text.indexOf(delimiter, quoted.next);
    cells.push(quoted.value + text.slice(quoted.next, end === -1 ? undefined : end));
    at = end + 1;
  } while (at > 0);
  return { text, cells, lineBreak };
}
