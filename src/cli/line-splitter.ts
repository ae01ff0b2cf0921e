import { isUtf8 } from "node:buffer";

/** A line that was read, or why it cannot be used. */
export type Line =
  | { readonly kind: "text"; readonly text: string }
  /** `start` is the beginning of the line, as far as it can be shown. */
  | { readonly kind: "too_long" | "not_utf8"; readonly start: string };

/** Makes lines of octets that come piece by piece. */
export interface LineSplitter {
  /** The lines that are whole with this piece. */
  push(piece: Buffer): Line[];
  /** The last line, if it has no end. */
  end(): Line[];
}

/** Octets of a line that cannot be used which are shown. */
const SHOWN_OCTETS = 64;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits UTF-8 into lines that end in LF or CRLF, the last one maybe in nothing. Lines without anything but white space are
 * left out, and so is a byte order mark at the beginning. Of a line beyond `maxOctets`, 64 or more, no more than that and
 * the piece at hand is ever kept.
 */
export function lineSplitter(maxOctets: number): LineSplitter {
  let rest: Buffer = Buffer.alloc(0);
  /** Whether `rest` is the beginning of a line that is too long, of which what follows is dropped. */
  let isTooLong = false;
  let isFirst = true;

  function keep(piece: Buffer): void {
    if (isTooLong) {
      return;
    }
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    isTooLong = all.length > maxOctets + 1;
    // A copy, so that the whole piece does not stay in memory for its end.
    rest = Buffer.from(isTooLong ? all.subarray(0, SHOWN_OCTETS) : all);
  }

  function takeRest(): Line[] {
    const line: Line[] = isTooLong
      ? [{ kind: "too_long", start: beginning(rest) }]
      : linesOf(rest, maxOctets);
    rest = Buffer.alloc(0);
    isTooLong = false;
    return line;
  }

  return {
    push(piece) {
      const first = piece.indexOf(LINE_FEED);
      if (first === -1) {
        keep(piece);
        return [];
      }
      keep(piece.subarray(0, first));
      const last = piece.lastIndexOf(LINE_FEED);
      if (isFirst && rest.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
        rest = rest.subarray(3);
      }
      isFirst = false;
      const lines = takeRest();
      const whole = linesOf(piece.subarray(first + 1, Math.max(last, first + 1)), maxOctets);
      keep(piece.subarray(last + 1));
      return lines.length === 0 ? whole : [...lines, ...whole];
    },
    end() {
      if (isFirst && rest.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
        rest = rest.subarray(3);
      }
      return takeRest();
    },
  };
}

/** The lines of a block of whole lines, the last of them without its end. */
function linesOf(block: Buffer, maxOctets: number): Line[] {
  if (!isUtf8(block)) {
    return linesOneByOne(block, maxOctets);
  }
  const lines: Line[] = [];
  for (const each of block.toString("utf8").split("\n")) {
    const text = each.endsWith("\r") ? each.slice(0, -1) : each;
    if (text.length * 3 > maxOctets && Buffer.byteLength(text) > maxOctets) {
      lines.push({ kind: "too_long", start: beginning(Buffer.from(text)) });
    } else if (text.trim() !== "") {
      lines.push({ kind: "text", text });
    }
  }
  return lines;
}

/** The lines of a block of which some are no UTF-8. */
function linesOneByOne(block: Buffer, maxOctets: number): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= block.length; ) {
    const end = block.indexOf(LINE_FEED, start);
    const line = block.subarray(start, end === -1 ? block.length : end);
    lines.push(
      ...(isUtf8(line) ? linesOf(line, maxOctets) : [{ kind: "not_utf8", start: shown(line) } as const]),
    );
    start = end === -1 ? block.length + 1 : end + 1;
  }
  return lines;
}

/** A line as text, a replacement character for what is none; only its beginning where it is long. */
function shown(line: Buffer): string {
  return line.length > SHOWN_OCTETS ? beginning(line) : line.toString("utf8").replace(/\r$/, "");
}

function beginning(line: Buffer): string {
  return `${line.subarray(0, SHOWN_OCTETS).toString("utf8")}…`;
}
