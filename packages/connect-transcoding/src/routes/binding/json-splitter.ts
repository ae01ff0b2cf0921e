import type { ConnectError } from "@connectrpc/connect";
import { malformed } from "../../errors/http-error.js";

/** Splits a body that arrives in chunks into the texts of its messages. */
export interface JsonSplitter {
  /** The bytes of memory of an incomplete text. */
  readonly length: number;
  /** Adds a chunk, once `next` has returned undefined. */
  push(chunk: Uint8Array): void;
  /** Returns the next text, valid until the next call; undefined if it has not arrived. Throws a ConnectError. */
  next(): Uint8Array | undefined;
  /** Called at the end of the body. `next` can return a last text. Throws a ConnectError if the body is incomplete. */
  end(): void;
}

/** How much a splitter may hold. */
export interface SplitterOptions {
  /** The maximum length of a message in bytes. */
  readonly limit: number;
  /** Returns the error for a longer one. */
  readonly tooLong: () => ConnectError;
}

const [LINE_FEED, CARRIAGE_RETURN, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20] as const;
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c] as const;
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

/** Creates a splitter of lines, without those that are blank. https://github.com/ndjson/ndjson-spec */
export function createNdjsonSplitter(options: SplitterOptions): JsonSplitter {
  const text = createTextBuffer(options);
  let chunk = NOTHING;
  let isEnded = false;

  function next(): Uint8Array | undefined {
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED)) {
      const line = text.take(chunk.subarray(0, end));
      chunk = chunk.subarray(end + 1);
      if (!line.every(isSpace)) {
        return line;
      }
    }
    text.append(chunk);
    chunk = NOTHING;
    const rest = isEnded ? text.take(NOTHING) : NOTHING;
    return rest.every(isSpace) ? undefined : rest;
  }

  return {
    get length() {
      return text.allocated;
    },
    push: (given) => {
      chunk = given;
    },
    next,
    end: () => {
      isEnded = true;
    },
  };
}

/**
 * Creates a splitter of the elements of a JSON array. It finds the commas between them and leaves everything else to the parser of
 * the elements, which also rejects an empty one.
 */
export function createArraySplitter(options: SplitterOptions): JsonSplitter {
  const text = createTextBuffer(options);
  let state: "before" | "first" | "element" | "after" = "before";
  let depth = 0;
  let isString = false;
  let isEscaped = false;

  /** Whether a byte ends an element; follows strings and brackets. */
  function endsElement(byte: number): boolean {
    if (isString) {
      if (isEscaped) {
        isEscaped = false;
      } else if (byte === BACKSLASH) {
        isEscaped = true;
      } else if (byte === QUOTE) {
        isString = false;
      }
      return false;
    }
    switch (byte) {
      case QUOTE:
        isString = true;
        return false;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        return false;
      case CLOSING_BRACE:
        depth -= 1;
        return false;
      case CLOSING_BRACKET:
        depth -= 1;
        return depth < 0;
      case COMMA:
        return depth === 0;
      default:
        return false;
    }
  }

  let chunk = NOTHING;
  let index = 0;

  function next(): Uint8Array | undefined {
    let start = index;
    for (; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (state === "element" || (state === "first" && byte !== CLOSING_BRACKET && !isSpace(byte))) {
        if (state === "first") {
          state = "element";
          start = index;
        }
        if (endsElement(byte)) {
          state = byte === COMMA ? "element" : "after";
          const element = text.take(chunk.subarray(start, index));
          index += 1;
          return element;
        }
      } else if (state === "first" && byte === CLOSING_BRACKET) {
        state = "after";
      } else if (state === "before" && byte === OPENING_BRACKET) {
        state = "first";
      } else if (!isSpace(byte)) {
        throw malformed("MALFORMED_BODY", "the body is not a JSON array");
      }
    }
    if (state === "element") {
      text.append(chunk.subarray(start));
    }
    chunk = NOTHING;
    index = 0;
    return undefined;
  }

  return {
    get length() {
      return text.allocated;
    },
    push: (given) => {
      chunk = given;
    },
    next,
    end: () => {
      if (state !== "before" && state !== "after") {
        throw malformed("MALFORMED_BODY", "the JSON array in the body is incomplete");
      }
    },
  };
}

/** Collects a text that arrives in pieces. */
interface TextBuffer {
  /** The bytes of memory of the buffer. */
  readonly allocated: number;
  append(piece: Uint8Array): void;
  /** Returns the whole text, with its last piece, and begins the next one. */
  take(last: Uint8Array): Uint8Array;
}

const NOTHING: Uint8Array = new Uint8Array();
/** The first allocation in bytes. */
const MIN_ALLOCATED = 1024;

/** One buffer that grows: many small pieces would take far more memory than their bytes. */
function createTextBuffer({ limit, tooLong }: SplitterOptions): TextBuffer {
  let bytes = NOTHING;
  let length = 0;

  function append(piece: Uint8Array): void {
    const end = length + piece.length;
    checkLength(end);
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, MIN_ALLOCATED, Math.min(limit, 2 * bytes.length)));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(piece, length);
    length = end;
  }

  function checkLength(end: number): void {
    if (end > limit) {
      throw tooLong();
    }
  }

  return {
    get allocated() {
      return bytes.length;
    },
    append,
    take: (last) => {
      let text = last;
      if (length > 0) {
        append(last);
        text = bytes.subarray(0, length);
      }
      checkLength(text.length);
      length = 0;
      return text;
    },
  };
}
