import { isAscii } from "node:buffer";
import { EXIT } from "../../failures/exit-status.js";
import {
  decodeWindows1252,
  detectEncoding,
  encodeWindows1252,
  isWindows1252,
  type TextEncoding,
} from "../../text/encoding.js";
import { StreamError } from "../stream-error.js";

/** The input as UTF-8 with LF or CRLF, and what it was. */
export interface DecodedInput {
  readonly chunks: AsyncIterable<Buffer>;
  /** Encodes output as the input is. Undefined before the first chunk, and for UTF-8 without a byte order mark. */
  readonly encode: () => ((text: string) => Uint8Array) | undefined;
  /** Whether lines end with CR alone. */
  readonly hasOnlyReturns: () => boolean;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
/** The bytes that the form of the input is detected from, unless there are fewer. */
const MIN_SAMPLE = 4;

/**
 * Decodes an input: UTF-8, UTF-16 with a byte order mark, or Windows-1252. Throws an {@link StreamError} for what is no text.
 *
 * @param decodesLines whether the reader decodes lines that are not UTF-8
 */
export function decodeInput(chunks: AsyncIterable<Buffer>, decodesLines: boolean): DecodedInput {
  let encoding: TextEncoding | undefined;
  let hasOnlyReturns = false;
  let encoder: ReturnType<typeof encoderOf>;

  async function* decoded(): AsyncGenerator<Buffer> {
    let start: Buffer = Buffer.alloc(0);
    let decoder: Decoder | undefined;
    /** Whether every byte so far is ASCII, so that the encoding is still open. */
    let isOpen = false;
    for await (const chunk of chunks) {
      if (encoding === undefined) {
        start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
        if (start.length < MIN_SAMPLE) {
          continue;
        }
        encoding = encodingOf(start);
        isOpen = encoding.name === "utf-8" && isAscii(start);
        decoder = decoderOf(encoding, decodesLines);
        const first = decode(start, decoder);
        hasOnlyReturns = !first.includes(LINE_FEED) && first.subarray(0, -1).includes(RETURN);
        yield withLineFeeds(first);
      } else {
        if (isOpen && !isAscii(chunk)) {
          isOpen = false;
          decoder = isWindows1252(chunk)
            ? decoderOf({ name: "windows-1252", markLength: 0 }, decodesLines)
            : undefined;
        }
        yield withLineFeeds(decode(chunk, decoder));
      }
    }
    if (encoding === undefined && start.length > 0) {
      encoding = encodingOf(start);
      yield decode(start, decoderOf(encoding, decodesLines));
    }
  }

  function withLineFeeds(chunk: Buffer): Buffer {
    return hasOnlyReturns ? Buffer.from(chunk.toString("latin1").replaceAll("\r", "\n"), "latin1") : chunk;
  }

  return {
    chunks: decoded(),
    encode: () => {
      encoder ??= encoding && encoderOf(encoding);
      return encoder;
    },
    hasOnlyReturns: () => hasOnlyReturns,
  };
}

/** Detects the encoding of an input by its first bytes. Throws a {@link StreamError} for what is no text. */
export function encodingOf(start: Buffer): TextEncoding {
  const detected = detectEncoding(start);
  if (!detected.ok) {
    throw new StreamError(`the input is ${detected.failure.description}`, EXIT.io);
  }
  return detected.value;
}

/** Decodes chunks in their order. */
type Decoder = (chunk: Uint8Array) => string;

function decoderOf({ name }: TextEncoding, decodesLines: boolean): Decoder | undefined {
  if (name === "utf-8" || (name === "windows-1252" && decodesLines)) {
    return undefined;
  }
  if (name === "windows-1252") {
    return decodeWindows1252;
  }
  const decoder = new TextDecoder(name);
  return (chunk) => decoder.decode(chunk, { stream: true });
}

function decode(chunk: Buffer, decoder: Decoder | undefined): Buffer {
  return decoder === undefined ? chunk : Buffer.from(decoder(chunk));
}

function encoderOf({ name, markLength }: TextEncoding): ((text: string) => Uint8Array) | undefined {
  if (name === "windows-1252") {
    return encodeWindows1252;
  }
  if (name === "utf-8" && markLength === 0) {
    return undefined;
  }
  let isFirst = true;
  return (text) => {
    const marked = isFirst ? `\ufeff${text}` : text;
    isFirst = false;
    if (name === "utf-8") {
      return Buffer.from(marked);
    }
    const bytes = Buffer.from(marked, "utf16le");
    return name === "utf-16le" ? bytes : bytes.swap16();
  };
}
