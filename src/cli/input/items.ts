import { EXIT } from "../../failures/exit-status.js";
import { formatCsvRow, namedDelimiter } from "../../text/csv.js";
import { type CallFailure, invalidInput } from "../failures.js";
import {
  type CsvColumn,
  chooseColumn,
  detectDelimiter,
  isNamedColumn,
  SAMPLE_RECORDS,
} from "./csv-column.js";
import { type CsvReader, type CsvRecord, createCsvReader } from "./csv-records.js";
import { type Finder, NOTHING_FOUND } from "./finder.js";
import { createLineSplitter, type Line } from "./lines.js";
import { STANDARD_INPUT } from "./operands.js";
import { InputError } from "./streams.js";

/** One input of many. */
export interface InputItem {
  /** The text as given; only its beginning if it is rejected. */
  readonly text: string;
  /** The line with the text, if that has more than the text, and is shown. */
  readonly line?: string;
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
  /** The record as it stands in the input, with a line that names the delimiter; undefined: the input has none. */
  readonly text?: string;
  /** The line break of the input. */
  readonly lineBreak: string;
  /** The delimiter of the input; a comma by default. */
  readonly delimiter?: string;
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
  /** Finds the inputs in lines and values; undefined: a line is an input. */
  readonly finder?: Finder | undefined;
  /** Whether the output leaves out the lines and records with the inputs. */
  readonly isOnlyResults?: boolean;
  /** Set if the input is CSV. */
  readonly csv?: {
    /** The name of the operand's field. */
    readonly operand: string;
    /** The name of the column with the inputs; undefined: it is detected. */
    readonly column: string | undefined;
    /** Whether lines end with CR alone. */
    readonly hasOnlyReturns?: () => boolean;
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
  options: ReadingOptions,
): AsyncGenerator<InputBatch> {
  const { limits, finder } = options;
  let given: InputItem[] = [];
  for (const operand of operands) {
    if (operand !== STANDARD_INPUT) {
      given.push({ text: operand });
      continue;
    }
    yield* inBatches(given, limits);
    given = [];
    if (options.csv === undefined) {
      const isFinding = finder !== undefined;
      const splitter = createLineSplitter({
        maxBytes: MAX_LINE_BYTES,
        keepsAll: isFinding,
        decodes: isFinding,
      });
      const toItems = isFinding
        ? (lines: readonly Line[]) => lines.flatMap((line) => itemsInLine(line, finder, options))
        : (lines: readonly Line[]) => lines.map(itemOfLine);
      for await (const chunk of chunks) {
        yield* inBatches(toItems(splitter.push(chunk)), limits);
      }
      yield* inBatches(toItems(splitter.end()), limits);
    } else {
      yield* readRecords(chunks, options.csv, options);
    }
  }
  yield* inBatches(given, limits);
}

function itemOfLine(line: Line): InputItem {
  return line.kind === "text" ? line : { text: line.start, rejected: unusable(line.kind, MAX_LINE_BYTES) };
}

/** The inputs that a line has; a line without one has an item as well. */
function itemsInLine(line: Line, finder: Finder, { isOnlyResults = false }: ReadingOptions): InputItem[] {
  if (line.kind === "too_long") {
    finder.skip();
    return [itemOfLine(line)];
  }
  const given = line.kind === "text" ? line.text : (line.text ?? line.start);
  const text = given.endsWith("\r") ? given.slice(0, -1) : given;
  const found = finder.find(text);
  if (line.kind === "not_utf8" && found.kind === "whole") {
    return [itemOfLine(line)];
  }
  switch (found.kind) {
    case "ignored":
      return [];
    case "whole":
      return [{ text }];
    case "none":
      return [{ text: isOnlyResults ? "" : text, rejected: NOTHING_FOUND }];
    case "found":
      return found.texts.map((each) => (isOnlyResults ? { text: each } : { text: each, line: text }));
  }
}

/** Reads the records after the header. */
async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  { operand, column, hasOnlyReturns }: NonNullable<ReadingOptions["csv"]>,
  options: ReadingOptions,
): AsyncGenerator<InputBatch> {
  let reader: CsvReader | undefined;
  let layout: RecordLayout | undefined;
  let waiting: CsvRecord[] = [];
  /** The line before the header that names the delimiter. */
  let firstLine: string | undefined;
  let delimiter = ",";

  function start(sample: Buffer): CsvRecord[] {
    const text = sample.toString("utf8", 0, SAMPLE_BYTES).replace(/^\ufeff/, "");
    const [line = ""] = text.split("\n", 1);
    const named = namedDelimiter(line);
    const lines = text.slice(0, text.lastIndexOf("\n") + 1) || text;
    delimiter = named ?? detectDelimiter(lines, operand, column);
    reader = createCsvReader(MAX_RECORD_BYTES, delimiter);
    firstLine = named === undefined ? undefined : line.replace(/\r$/, "");
    return reader.push(sample).slice(named === undefined ? 0 : 1);
  }

  function* batches(records: readonly CsvRecord[], isEnd: boolean): Generator<InputBatch> {
    waiting = [...waiting, ...records];
    const [first] = waiting;
    if (layout === undefined && first !== undefined) {
      const names = cellsOf(first);
      if (!isEnd && waiting.length <= SAMPLE_RECORDS && !isNamedColumn(names, operand, column)) {
        return;
      }
      const chosen = chooseColumn(names, operand, column, waiting.slice(1, SAMPLE_RECORDS + 1).map(cellsOf));
      if (!chosen.ok) {
        throw new InputError(chosen.failure.description, EXIT.usage);
      }
      const { index, hasHeader } = chosen.value;
      layout = { index, columns: names.length, delimiter };
      const lineBreak = hasOnlyReturns?.() ? "\r" : first.kind === "record" ? first.lineBreak : "\n";
      const header = headerOf(first, chosen.value, { delimiter, lineBreak, firstLine, ...options });
      if (header !== undefined) {
        yield { items: [], header };
      }
      waiting = hasHeader ? waiting.slice(1) : waiting;
    }
    const known = layout;
    if (known !== undefined) {
      const items = waiting.flatMap((record) => itemsOfRecord(record, known, options));
      waiting = [];
      yield* inBatches(items, options.limits);
    }
  }

  for await (const chunk of withSample(chunks)) {
    yield* batches(reader === undefined ? start(chunk) : reader.push(chunk), false);
  }
  yield* batches(reader?.end() ?? [], true);
}

/** Joins the first chunks: up to a line break, or to what the delimiter is detected from. */
async function* withSample(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sample: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const joined: Buffer = sample === undefined ? chunk : Buffer.concat([sample, chunk]);
    const isEnough: boolean = sample === undefined || joined.includes("\n") || joined.length > SAMPLE_BYTES;
    sample = isEnough ? undefined : joined;
    if (isEnough) {
      yield joined;
    }
  }
  if (sample !== undefined) {
    yield sample;
  }
}

/** The bytes that the delimiter is detected from. */
const SAMPLE_BYTES = 64 * 1024;

/** Where the input of a record is, and how long records are. */
interface RecordLayout {
  readonly index: number;
  readonly columns: number;
  readonly delimiter: string;
}

function cellsOf(record: CsvRecord): readonly string[] {
  return record.kind === "record" ? record.cells : [record.start];
}

interface HeaderForm extends Pick<ReadingOptions, "isOnlyResults"> {
  readonly delimiter: string;
  readonly lineBreak: string;
  readonly firstLine: string | undefined;
}

/** The header of the output. Several columns without names have numbers; one has none. */
function headerOf(
  first: CsvRecord,
  { index, hasHeader }: CsvColumn,
  { isOnlyResults = false, delimiter, lineBreak, firstLine }: HeaderForm,
): CsvHeader | undefined {
  const cells = cellsOf(first);
  if (isOnlyResults) {
    return { names: ["input"], lineBreak, delimiter };
  }
  if (!hasHeader && cells.length === 1) {
    return undefined;
  }
  const names = hasHeader ? cells : cells.map((_, at) => (at === index ? "input" : `column_${at + 1}`));
  const text = hasHeader && first.kind === "record" ? first.text : formatCsvRow(names, delimiter);
  return { names, text: firstLine === undefined ? text : firstLine + lineBreak + text, lineBreak, delimiter };
}

/** The inputs of a record, and the record with as many values as the header has. */
function itemsOfRecord(
  record: CsvRecord,
  { index, columns, delimiter }: RecordLayout,
  { finder, isOnlyResults = false }: ReadingOptions,
): InputItem[] {
  /** An input with its record. */
  const itemOf = (text: string, shown: string, values: number, rejected?: CallFailure): InputItem => ({
    text,
    ...(!isOnlyResults && { record: shown + delimiter.repeat(Math.max(0, columns - values)) }),
    ...(rejected && { rejected }),
  });
  if (record.kind !== "record") {
    const { start, kind } = record;
    return [itemOf(start, formatCsvRow([start], delimiter), 1, unusable(kind, MAX_RECORD_BYTES))];
  }
  const { text, cells } = record;
  const input = cells[index]?.trim() ?? "";
  if (cells.length > columns) {
    const problem = `the record has ${cells.length} values, and the first record has ${columns}`;
    const shown = formatCsvRow(withRest(cells, columns, delimiter), delimiter);
    return [itemOf(input, shown, columns, invalidInput("MALFORMED_RECORD", problem))];
  }
  const inputs = finder?.inValue(input) ?? [input];
  return inputs.map((each) => itemOf(each, text, cells.length));
}

/** The values of a record that is too long: the last one has the rest, unless that is empty. */
function withRest(cells: readonly string[], columns: number, delimiter: string): readonly string[] {
  const rest = cells.slice(columns);
  const [last = ""] = cells.slice(columns - 1, columns);
  return rest.every((cell) => cell === "")
    ? cells.slice(0, columns)
    : [...cells.slice(0, columns - 1), [last, ...rest].join(delimiter)];
}

function unusable(kind: "too_long" | "not_utf8" | "unclosed", maxBytes: number): CallFailure {
  const [reason, message] = {
    not_utf8: ["MALFORMED_UTF8", "is not UTF-8"] as const,
    too_long: ["LINE_TOO_LONG", `has more than ${maxBytes} bytes`] as const,
    unclosed: ["MALFORMED_RECORD", "a quotation mark is not closed"] as const,
  }[kind];
  return invalidInput(reason, message);
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
