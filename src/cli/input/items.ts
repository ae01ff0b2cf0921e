import { EXIT } from "../../failures/exit-status.js";
import { formatCsvRow, namedDelimiter } from "../../text/csv.js";
import { type CallFailure, invalidInput } from "../failures.js";
import { StreamError } from "../stream-error.js";
import {
  type CsvColumn,
  chooseColumn,
  detectDelimiter,
  isNamedColumn,
  SAMPLE_RECORDS,
} from "./csv-column.js";
import { type CsvRecord, createCsvReader } from "./csv-records.js";
import type { Finder } from "./finder.js";
import { createLineReader, type InputItem, type Reader } from "./lines.js";
import { STANDARD_INPUT } from "./operands.js";
import { createSecretReader } from "./secret-records.js";

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
  /** Whether lines have secrets: records of new ones are read as well. */
  readonly hasSecrets?: boolean;
  /** Whether the output leaves out the records with the inputs. */
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
 * yielded without waiting for the next, even if its batch is not full. Throws an {@link StreamError} for CSV without a usable column.
 */
export async function* readInputs(
  operands: readonly string[],
  chunks: AsyncIterable<Buffer>,
  options: ReadingOptions,
): AsyncGenerator<InputBatch> {
  const { limits } = options;
  let given: InputItem[] = [];
  for (const operand of operands) {
    if (operand !== STANDARD_INPUT) {
      given.push({ text: operand });
      continue;
    }
    yield* inBatches(given, limits);
    given = [];
    const reader = options.csv === undefined ? lineReader(options) : recordReader(options.csv, options);
    for await (const chunk of chunks) {
      yield* reader.push(chunk);
    }
    yield* reader.end();
  }
  yield* inBatches(given, limits);
}

function lineReader({ limits, finder, hasSecrets }: ReadingOptions): Reader<InputBatch> {
  const isFinding = finder !== undefined;
  const reader = createLineReader({ maxBytes: MAX_LINE_BYTES, keepsAll: isFinding, decodes: isFinding });
  const find = hasSecrets ? createSecretReader() : finder?.inLine;
  const batches = (lines: InputItem[]) => inBatches(find === undefined ? lines : lines.flatMap(find), limits);
  return { push: (chunk) => batches(reader.push(chunk)), end: () => batches(reader.end()) };
}

/** Reads the records after the header. Waits for those that the delimiter and the column are detected from. */
function recordReader(
  { operand, column, hasOnlyReturns }: NonNullable<ReadingOptions["csv"]>,
  options: ReadingOptions,
): Reader<InputBatch> {
  let reader: Reader<CsvRecord> | undefined;
  let layout: RecordLayout | undefined;
  let sample: Buffer = Buffer.alloc(0);
  let waiting: CsvRecord[] = [];
  /** The line before the header that names the delimiter. */
  let firstLine: string | undefined;
  let delimiter = ",";

  function start(): CsvRecord[] {
    const text = sample.toString("utf8", 0, SAMPLE_BYTES).replace(/^\ufeff/, "");
    const [line = ""] = text.split("\n", 1);
    const named = namedDelimiter(line);
    const lines = text.slice(0, text.lastIndexOf("\n") + 1) || text;
    delimiter = named ?? detectDelimiter(lines, operand, column);
    reader = createCsvReader(MAX_RECORD_BYTES, delimiter);
    firstLine = named === undefined ? undefined : line.replace(/\r$/, "");
    return reader.push(sample).slice(named === undefined ? 0 : 1);
  }

  function batches(records: readonly CsvRecord[], isEnd = false): InputBatch[] {
    waiting = [...waiting, ...records];
    const [first] = waiting;
    if (first === undefined) {
      return [];
    }
    const headers: InputBatch[] = [];
    if (layout === undefined) {
      const names = first.cells;
      if (!isEnd && waiting.length <= SAMPLE_RECORDS && !isNamedColumn(names, operand, column)) {
        return [];
      }
      const rows = waiting.slice(1, SAMPLE_RECORDS + 1).map(({ cells }) => cells);
      const chosen = chooseColumn(names, operand, column, rows);
      if (!chosen.ok) {
        throw new StreamError(chosen.failure.description, EXIT.usage);
      }
      layout = { ...chosen.value, columns: names.length, delimiter };
      const lineBreak = hasOnlyReturns?.() ? "\r" : first.lineBreak;
      const header = headerOf(first, layout, { lineBreak, firstLine, ...options });
      if (header !== undefined) {
        headers.push({ items: [], header });
      }
      waiting = layout.hasHeader ? waiting.slice(1) : waiting;
    }
    const known = layout;
    const items = waiting.flatMap((record) => itemsOfRecord(record, known, options));
    waiting = [];
    return [...headers, ...inBatches(items, options.limits)];
  }

  return {
    push(chunk) {
      if (reader !== undefined) {
        return batches(reader.push(chunk));
      }
      sample = Buffer.concat([sample, chunk]);
      return sample.includes("\n") || sample.length > SAMPLE_BYTES ? batches(start()) : [];
    },
    end() {
      const started = reader === undefined && sample.length > 0 ? start() : [];
      return batches([...started, ...(reader?.end() ?? [])], true);
    },
  };
}

/** The bytes that the delimiter is detected from. */
const SAMPLE_BYTES = 64 * 1024;

/** Where the input of a record is, and how long records are. */
interface RecordLayout extends CsvColumn {
  readonly columns: number;
  readonly delimiter: string;
}

/** The header of the output. Several columns without names have numbers; one has none. */
function headerOf(
  { cells, text, rejected }: CsvRecord,
  { index, hasHeader, delimiter }: RecordLayout,
  { isOnlyResults = false, lineBreak, firstLine }: HeaderForm,
): CsvHeader | undefined {
  if (isOnlyResults) {
    return { names: ["input"], lineBreak, delimiter };
  }
  if (!hasHeader && cells.length === 1) {
    return undefined;
  }
  const names = hasHeader ? cells : cells.map((_, at) => (at === index ? "input" : `column_${at + 1}`));
  const own = hasHeader && rejected === undefined ? text : formatCsvRow(names, delimiter);
  return { names, text: firstLine === undefined ? own : firstLine + lineBreak + own, lineBreak, delimiter };
}

interface HeaderForm extends Pick<ReadingOptions, "isOnlyResults"> {
  readonly lineBreak: string;
  readonly firstLine: string | undefined;
}

/** The inputs of a record, and the record with as many values as the header has. */
function itemsOfRecord(
  { text, cells, rejected }: CsvRecord,
  { index, columns, delimiter }: RecordLayout,
  { finder, isOnlyResults = false }: ReadingOptions,
): InputItem[] {
  /** An input with its record. */
  const itemOf = (input: string, shown: string, values: number, failure?: CallFailure): InputItem => {
    const record = shown + delimiter.repeat(Math.max(0, columns - values));
    const item = isOnlyResults ? { text: input } : { text: input, record };
    return failure ? { ...item, rejected: failure } : item;
  };
  if (rejected !== undefined) {
    return [itemOf(text, formatCsvRow(cells, delimiter), 1, rejected)];
  }
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

function inBatches(items: readonly InputItem[], { maxItems, maxBytes }: BatchLimits): InputBatch[] {
  const batches: InputBatch[] = [];
  let start = 0;
  let bytes = 0;
  for (const [index, { text }] of items.entries()) {
    const added = Buffer.byteLength(text) + FRAMING_BYTES;
    if (index > start && (index - start === maxItems || bytes + added > maxBytes)) {
      batches.push({ items: items.slice(start, index) });
      start = index;
      bytes = 0;
    }
    bytes += added;
  }
  return start < items.length ? [...batches, { items: items.slice(start) }] : batches;
}
