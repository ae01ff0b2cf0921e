import { isUtf8 } from "node:buffer";
import { type BigIntStats, fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { type Failure, fail, ok, type Result } from "../result.js";
import { systemErrorCode } from "../system-error.js";
import { placeholderOf, returnsBytes, type ToolCommand } from "./commands.js";
import { type CallFailure, invalidInput } from "./failures.js";

/** Standard input. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** The length in bytes if it is a file; otherwise undefined. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Standard input cannot be read. */
export class InputError extends Error {
  constructor(cause: unknown) {
    super(`standard input cannot be read (${systemErrorCode(cause)})`, { cause });
    this.name = "InputError";
  }
}

/** Describes standard input. It is opened by the first read, because opening can fail and most commands do not need it. */
export function standardInput(): InputStream {
  const stats = inputStats();
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      // Node reads a folder as empty input.
      if (stats?.isDirectory()) {
        throw Object.assign(new Error("standard input is a folder"), { code: "EISDIR" });
      }
      yield* process.stdin;
    } catch (thrown) {
      throw new InputError(thrown);
    }
  }
  return { isTerminal: isatty(0), size: stats?.isFile() ? Number(stats.size) : undefined, chunks: chunks() };
}

/**
 * Returns undefined if standard input is closed. Node keeps the result of the last stat in a buffer that `realpathSync` reads: if
 * that is a pipe, a later `import()` does not resolve symbolic links, and loads modules twice. Stats in bigint use another
 * buffer.
 */
function inputStats(): BigIntStats | undefined {
  try {
    return fstatSync(0, { bigint: true });
  } catch {
    return undefined;
  }
}

/** The operand that stands for standard input. */
const STANDARD_INPUT = "-";

/** The inputs of a command. */
export type Operands =
  /** The command takes no input, or is called without one. */
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly text: string }
  /** Standard input as a whole is one text. */
  | { readonly kind: "whole_input" }
  /** Each operand is one input, or stands for the lines of standard input. */
  | { readonly kind: "many"; readonly operands: readonly string[] };

/**
 * Reads the operands of a command. One operand is one input. Several operands, and standard input, are many inputs, even if
 * there turns out to be only one. A command that returns an image takes a single text of any length.
 */
export function readOperands(
  command: ToolCommand,
  given: readonly string[],
  isTerminal: boolean,
): Result<Operands, Failure<"USAGE">> {
  const { operand, withoutOperand } = command;
  if (operand === undefined || (given.length === 0 && withoutOperand !== undefined)) {
    return ok({ kind: "none" });
  }
  if (given.length === 0 && isTerminal) {
    return fail("USAGE", `needs ${placeholderOf(operand)}, as an argument or on standard input`);
  }
  if (given.filter((each) => each === STANDARD_INPUT).length > 1) {
    return fail("USAGE", "standard input can be read once");
  }
  const all = given.length === 0 ? [STANDARD_INPUT] : given;
  const [only = ""] = all;
  if (all.length === 1 && only !== STANDARD_INPUT) {
    return ok({ kind: "one", text: only });
  }
  return ok(returnsBytes(command) ? { kind: "whole_input" } : { kind: "many", operands: all });
}

/** The limit of standard input that is read as one text, in bytes. */
const MAX_TEXT = 64 * 1024;

/** Reads standard input as one text, without the final line break. Stops after {@link MAX_TEXT} bytes. */
export async function readWholeInput(stdin: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    read.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_TEXT) {
      break;
    }
  }
  return Buffer.concat(read)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** One input of many. */
export interface InputItem {
  /** The text as given; only its beginning if it is rejected. */
  readonly text: string;
  /** Set if the input is rejected before any call. */
  readonly rejected?: CallFailure;
}

/** The size of the batches of inputs. */
export interface BatchLimits {
  readonly maxItems: number;
  /** The maximum length of a request with all of them, in bytes. */
  readonly maxBytes: number;
}

/** The maximum length of a line of standard input in bytes, many times the limit of any tool. */
const MAX_LINE_BYTES = 16 * 1024;

/** Bytes that an input adds to a request besides its own: tag and length. */
const FRAMING_BYTES = 6;

/**
 * Reads the inputs that operands name, in batches. `-` stands for the lines of standard input. Each chunk of standard input
 * is yielded without waiting for the next, even if its batch is not full.
 */
export async function* readInputs(
  operands: readonly string[],
  stdin: AsyncIterable<Buffer>,
  limits: BatchLimits,
): AsyncGenerator<readonly InputItem[]> {
  let given: InputItem[] = [];
  for (const operand of operands) {
    if (operand !== STANDARD_INPUT) {
      given.push({ text: operand });
      continue;
    }
    yield* inBatches(given, limits);
    given = [];
    const splitter = createLineSplitter(MAX_LINE_BYTES);
    for await (const chunk of stdin) {
      yield* inBatches(splitter.push(chunk).map(itemOf), limits);
    }
    yield* inBatches(splitter.end().map(itemOf), limits);
  }
  yield* inBatches(given, limits);
}

function itemOf(line: Line): InputItem {
  switch (line.kind) {
    case "text":
      return line;
    case "not_utf8":
      return { text: line.start, rejected: invalidInput("MALFORMED_UTF8", "is not UTF-8") };
    case "too_long":
      return {
        text: line.start,
        rejected: invalidInput("LINE_TOO_LONG", `has more than ${MAX_LINE_BYTES} bytes`),
      };
  }
}

function* inBatches(
  items: readonly InputItem[],
  { maxItems, maxBytes }: BatchLimits,
): Generator<readonly InputItem[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, { text }] of items.entries()) {
    const added = Buffer.byteLength(text) + FRAMING_BYTES;
    if (index > start && (index - start === maxItems || bytes + added > maxBytes)) {
      yield items.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += added;
  }
  if (start < items.length) {
    yield items.slice(start);
  }
}

/** A line, or the reason why it is not usable. */
export type Line =
  | { readonly kind: "text"; readonly text: string }
  /** `start` is the beginning of the line, with replacement characters for invalid bytes. */
  | { readonly kind: "too_long" | "not_utf8"; readonly start: string };

/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  /** Returns the lines that the chunk completes. */
  push(chunk: Buffer): Line[];
  /** Returns the last line if it has no line break. */
  end(): Line[];
}

/** The bytes of an unusable line that are shown. */
const SHOWN_BYTES = 64;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Creates a splitter for UTF-8 lines that end in LF or CRLF; the last line may have no line break. Blank lines and a leading byte
 * order mark are skipped. A longer line than `maxBytes` (at least 64) is not buffered beyond that length and the current chunk.
 */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let rest: Buffer = Buffer.alloc(0);
  /** Whether `rest` is the beginning of a line that is too long. The remainder is dropped. */
  let isTooLong = false;
  let isFirst = true;

  function keep(chunk: Buffer): void {
    if (isTooLong) {
      return;
    }
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    isTooLong = all.length > maxBytes + 1;
    // A copy, so that the rest does not keep the whole chunk in memory.
    rest = Buffer.from(isTooLong ? all.subarray(0, SHOWN_BYTES) : all);
  }

  function takeRest(): Line[] {
    if (isFirst && rest.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      rest = rest.subarray(3);
    }
    isFirst = false;
    const line: Line[] = isTooLong ? [{ kind: "too_long", start: beginning(rest) }] : linesOf(rest, maxBytes);
    rest = Buffer.alloc(0);
    isTooLong = false;
    return line;
  }

  return {
    push(chunk) {
      const first = chunk.indexOf(LINE_FEED);
      if (first === -1) {
        keep(chunk);
        return [];
      }
      keep(chunk.subarray(0, first));
      const last = chunk.lastIndexOf(LINE_FEED);
      const lines = takeRest();
      const whole = linesOf(chunk.subarray(first + 1, Math.max(last, first + 1)), maxBytes);
      keep(chunk.subarray(last + 1));
      return lines.length === 0 ? whole : [...lines, ...whole];
    },
    end: takeRest,
  };
}

/** Splits a block of whole lines, the last one without its line break. */
function linesOf(block: Buffer, maxBytes: number): Line[] {
  if (!isUtf8(block)) {
    return linesOneByOne(block, maxBytes);
  }
  const lines: Line[] = [];
  for (const each of block.toString("utf8").split("\n")) {
    const text = each.endsWith("\r") ? each.slice(0, -1) : each;
    if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) {
      lines.push({ kind: "too_long", start: beginning(Buffer.from(text)) });
    } else if (text.trim() !== "") {
      lines.push({ kind: "text", text });
    }
  }
  return lines;
}

/** Splits a block in which at least one line is not UTF-8. */
function linesOneByOne(block: Buffer, maxBytes: number): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= block.length; ) {
    const end = block.indexOf(LINE_FEED, start);
    const line = block.subarray(start, end === -1 ? block.length : end);
    lines.push(
      ...(isUtf8(line) ? linesOf(line, maxBytes) : [{ kind: "not_utf8", start: shownStart(line) } as const]),
    );
    start = end === -1 ? block.length + 1 : end + 1;
  }
  return lines;
}

function shownStart(line: Buffer): string {
  return line.length > SHOWN_BYTES ? beginning(line) : line.toString("utf8").replace(/\r$/, "");
}

function beginning(line: Buffer): string {
  return `${line.subarray(0, SHOWN_BYTES).toString("utf8")}…`;
}
