import { isUtf8 } from "node:buffer";
import { decodeWindows1252 } from "../../text/encoding.js";

/** A line, or the reason why it is not usable. */
export type Line =
  | { readonly kind: "text"; readonly text: string }
  /** `start` is the beginning of the line, with replacement characters for invalid bytes. */
  | { readonly kind: "too_long"; readonly start: string }
  /** `text` is the line in Windows-1252, if that is requested. */
  | { readonly kind: "not_utf8"; readonly start: string; readonly text?: string };

/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  /** Returns the lines that the chunk completes. */
  push(chunk: Buffer): Line[];
  /** Returns the last line if it has no line break. */
  end(): Line[];
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
 * Creates a splitter for UTF-8 lines that end in LF or CRLF; the last line may have no line break. A leading byte order mark is
 * skipped, and so are blank lines. A line that is too long is not buffered beyond its limit and the current chunk.
 */
export function createLineSplitter(options: LineOptions): LineSplitter {
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
    const line: Line[] = isTooLong ? [{ kind: "too_long", start: beginning(rest) }] : linesOf(rest, options);
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
      const whole = last === first ? [] : linesOf(chunk.subarray(first + 1, last), options);
      keep(chunk.subarray(last + 1));
      return lines.length === 0 ? whole : [...lines, ...whole];
    },
    end: () => (rest.length === 0 ? [] : takeRest()),
  };
}

/** Splits a block of whole lines, the last one without its line break. */
function linesOf(block: Buffer, options: LineOptions): Line[] {
  if (!isUtf8(block)) {
    return linesOneByOne(block, options);
  }
  const { maxBytes, keepsAll = false } = options;
  const lines: Line[] = [];
  for (const each of block.toString("utf8").split("\n")) {
    const text = !keepsAll && each.endsWith("\r") ? each.slice(0, -1) : each;
    if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) {
      lines.push({ kind: "too_long", start: beginning(Buffer.from(text)) });
    } else if (keepsAll || text.trim() !== "") {
      lines.push({ kind: "text", text });
    }
  }
  return lines;
}

/** Splits a block in which at least one line is not UTF-8. */
function linesOneByOne(block: Buffer, options: LineOptions): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= block.length; ) {
    const end = block.indexOf(LINE_FEED, start);
    const line = block.subarray(start, end === -1 ? block.length : end);
    const text = options.decodes && { text: decodeWindows1252(line) };
    lines.push(
      ...(isUtf8(line)
        ? linesOf(line, options)
        : [{ kind: "not_utf8", start: beginning(line), ...text } as const]),
    );
    start = end === -1 ? block.length + 1 : end + 1;
  }
  return lines;
}

function beginning(line: Buffer): string {
  const shown = line.toString("utf8", 0, SHOWN_BYTES);
  return line.length > SHOWN_BYTES ? `${shown}…` : shown.replace(/\r$/, "");
}
