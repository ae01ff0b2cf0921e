import { isUtf8 } from "node:buffer";
import { decodeWindows1252 } from "../../text/encoding.js";
import { type CallFailure, invalidInput } from "../failures.js";

/** A line of the input. If it is rejected, `text` is its beginning, with replacement characters for invalid bytes. */
export interface Line {
  readonly text: string;
  readonly rejected?: CallFailure;
  /** A line that is not UTF-8 in Windows-1252, if that is requested. */
  readonly decoded?: string;
}

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

/** Reads a stream of bytes in parts, such as lines. */
export interface Reader<T> {
  /** Returns the parts that the chunk completes. */
  push(chunk: Buffer): T[];
  /** Returns what is left at the end of the input. */
  end(): T[];
}

export interface LineOptions {
  /** The length of the longest usable line in bytes, at least 64. */
  readonly maxBytes: number;
  /** Whether blank lines, and the CR of CRLF, are part of the result. */
  readonly keepsAll?: boolean;
  /** Whether a line that is not UTF-8 is decoded as Windows-1252 as well. */
  readonly decodes?: boolean;
}

/** The bytes of an unusable line that are shown. */
const SHOWN_BYTES = 64;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Creates a reader of UTF-8 lines that end in LF or CRLF; the last line may have no line break. A leading byte order mark is
 * skipped, and so are blank lines. A line that is too long is not buffered beyond its limit and the current chunk.
 */
export function createLineReader(options: LineOptions): Reader<Line> {
  const { maxBytes } = options;
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
    rest = Buffer.from(isTooLong ? all.subarray(0, SHOWN_BYTES + 1) : all);
  }

  function takeRest(): Line[] {
    if (isFirst && rest.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      rest = rest.subarray(3);
    }
    isFirst = false;
    const lines = isTooLong ? [tooLong(rest, maxBytes)] : linesOf(rest, options);
    rest = Buffer.alloc(0);
    isTooLong = false;
    return lines;
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
      const whole = last === first ? [] : linesOf(chunk.subarray(first + 1, last), options);
      keep(chunk.subarray(last + 1));
      return lines.length === 0 ? whole : [...lines, ...whole];
    },
    end: () => (rest.length === 0 ? [] : takeRest()),
  };
}

/** Splits a block of whole lines, the last one without its line break. */
function linesOf(block: Buffer, options: LineOptions): Line[] {
  const { maxBytes, keepsAll = false, decodes = false } = options;
  if (!isUtf8(block)) {
    const each = block.toString("latin1").split("\n");
    return each.length > 1
      ? each.flatMap((line) => linesOf(Buffer.from(line, "latin1"), options))
      : [
          {
            text: beginning(block),
            rejected: NOT_UTF8,
            ...(decodes && { decoded: decodeWindows1252(block) }),
          },
        ];
  }
  const lines: Line[] = [];
  for (const each of block.toString("utf8").split("\n")) {
    const text = !keepsAll && each.endsWith("\r") ? each.slice(0, -1) : each;
    if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) {
      lines.push(tooLong(Buffer.from(text), maxBytes));
    } else if (keepsAll || text.trim() !== "") {
      lines.push({ text });
    }
  }
  return lines;
}

const NOT_UTF8 = invalidInput("MALFORMED_UTF8", "is not UTF-8");

function tooLong(line: Buffer, maxBytes: number): Line {
  const rejected = invalidInput("LINE_TOO_LONG", `has more than ${maxBytes} bytes`);
  return { text: beginning(line), rejected };
}

function beginning(line: Buffer): string {
  const shown = line.toString("utf8", 0, SHOWN_BYTES);
  return line.length > SHOWN_BYTES ? `${shown}…` : shown.replace(/\r$/, "");
}
