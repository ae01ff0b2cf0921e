import { EXIT } from "../../failures/exit-status.js";
import { formatCsvRow } from "../../text/csv.js";
import { type CallFailure, invalidInput } from "../failures.js";
import { chooseColumn } from "./csv-column.js";
import { type CsvRecord, createCsvReader } from "./csv-records.js";
import { createLineSplitter, type Line } from "./lines.js";
import { STANDARD_INPUT } from "./operands.js";
import { InputError } from "./streams.js";

/** One input of many. */
export interface InputItem {
  /** The text as given; only its beginning if it is rejected. */
  readonly text: string;
  /** The record of CSV that has the input, without a line break. */
  readonly record?: string;
  /** Set if the input is rejected before any call. */
  readonly rejected?: CallFailure;
}

/** Inputs that are processed together. */
export interface InputBatch {
  readonly items: readonly InputItem[];
  /** The header of the CSV that is read, in the first batch. */
  readonly header?: CsvHeader;
}

/** The first record of CSV, which names its columns. */
export interface CsvHeader {
  readonly names: readonly string[];
  /** The line break of the input. */
  readonly lineBreak: string;
}

/** The size of the batches of inputs. */
export interface BatchLimits {
  readonly maxItems: number;
  /** The maximum length of a request with all of them, in bytes. */
  readonly maxBytes: number;
}

/** How the input is read. */
export interface ReadingOptions {
  readonly limits: BatchLimits;
  /** Set if the input is CSV. */
  readonly csv?: {
    /** The name of the operand's field. */
    readonly operand: string;
    /** The name of the column with the inputs; undefined: it is detected. */
    readonly column: string | undefined;
  };
}

/** The maximum length of a line in bytes, many times the limit of any tool. */
const MAX_LINE_BYTES = 16 * 1024;

/** The maximum length of a record of CSV in bytes. */
const MAX_RECORD_BYTES = 128 * 1024;

/** Bytes that an input adds to a request besides its own: tag and length. */
const FRAMING_BYTES = 6;

/**
 * Reads the inputs that operands name, in batches. `-` stands for the lines, or records, of the input. Each chunk of the input is
 * yielded without waiting for the next, even if its batch is not full. Throws an {@link InputError} for CSV without a usable column.
 */
export async function* readInputs(
  operands: readonly string[],
  chunks: AsyncIterable<Buffer>,
  { limits, csv }: ReadingOptions,
): AsyncGenerator<InputBatch> {
  let given: InputItem[] = [];
  for (const operand of operands) {
    if (operand !== STANDARD_INPUT) {
      given.push({ text: operand });
      continue;
    }
    yield* inBatches(given, limits);
    given = [];
    if (csv === undefined) {
      const splitter = createLineSplitter({ maxBytes: MAX_LINE_BYTES });
      for await (const chunk of chunks) {
        yield* inBatches(splitter.push(chunk).map(itemOfLine), limits);
      }
      yield* inBatches(splitter.end().map(itemOfLine), limits);
    } else {
      yield* readRecords(chunks, csv, limits);
    }
  }
  yield* inBatches(given, limits);
}

async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  { operand, column }: NonNullable<ReadingOptions["csv"]>,
  limits: BatchLimits,
): AsyncGenerator<InputBatch> {
  const reader = createCsvReader(MAX_RECORD_BYTES);
  let toItem: ((record: CsvRecord) => InputItem) | undefined;

  /** Reads the records after the header. */
  function* batches(records: readonly CsvRecord[]): Generator<InputBatch> {
    let rest = records;
    const [first] = records;
    if (toItem === undefined && first !== undefined) {
      const cells = first.kind === "record" ? first.cells : [first.start];
      const chosen = chooseColumn(cells, operand, column);
      if (!chosen.ok) {
        throw new InputError(chosen.failure.description, EXIT.usage);
      }
      const { index, hasHeader } = chosen.value;
      toItem = (record) => itemOfRecord(record, index, cells.length);
      if (hasHeader) {
        const lineBreak = first.kind === "record" ? first.lineBreak : "\n";
        yield { items: [], header: { names: cells, lineBreak } };
        rest = records.slice(1);
      }
    }
    const convert = toItem;
    if (convert !== undefined) {
      yield* inBatches(rest.map(convert), limits);
    }
  }

  for await (const chunk of chunks) {
    yield* batches(reader.push(chunk));
  }
  yield* batches(reader.end());
}

function itemOfLine(line: Line): InputItem {
  return line.kind === "text" ? line : { text: line.start, rejected: unusable(line.kind, MAX_LINE_BYTES) };
}

/** The input of a record, and the record with as many values as the header has. */
function itemOfRecord(record: CsvRecord, index: number, columns: number): InputItem {
  if (record.kind !== "record") {
    return {
      text: record.start,
      record: formatCsvRow([record.start]) + ",".repeat(columns - 1),
      rejected: unusable(record.kind, MAX_RECORD_BYTES),
    };
  }
  const { text, cells } = record;
  const input = cells[index]?.trim() ?? "";
  if (cells.length === columns) {
    return { text: input, record: text };
  }
  return cells.length < columns
    ? { text: input, record: text + ",".repeat(columns - cells.length) }
    : {
        text: input,
        record: formatCsvRow(cells.slice(0, columns)),
        rejected: invalidInput(
          "MALFORMED_RECORD",
          `the record has ${cells.length} values, and the first record has ${columns}`,
        ),
      };
}

function unusable(kind: "too_long" | "not_utf8" | "unclosed", maxBytes: number): CallFailure {
  switch (kind) {
    case "not_utf8":
      return invalidInput("MALFORMED_UTF8", "is not UTF-8");
    case "too_long":
      return invalidInput("LINE_TOO_LONG", `has more than ${maxBytes} bytes`);
    case "unclosed":
      return invalidInput("MALFORMED_RECORD", "a quotation mark is not closed");
  }
}

function* inBatches(items: readonly InputItem[], { maxItems, maxBytes }: BatchLimits): Generator<InputBatch> {
  let start = 0;
  let bytes = 0;
  for (const [index, { text }] of items.entries()) {
    const added = Buffer.byteLength(text) + FRAMING_BYTES;
    if (index > start && (index - start === maxItems || bytes + added > maxBytes)) {
      yield { items: items.slice(start, index) };
      start = index;
      bytes = 0;
    }
    bytes += added;
  }
  if (start < items.length) {
    yield { items: items.slice(start) };
  }
}
