import { badRequest, type Rejection, rejection } from "../core/rejection.js";
import { type SectionLimits, sectionTooLarge } from "../core/rules.js";
import { FieldSection, parseSection } from "./field-section.js";

/** The maximum length of the line before a chunk: its size and its extensions. */
const MAX_LINE = 256;
/** The maximum length of all extensions of a body. */
const MAX_EXTENSIONS = 16_384;

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
/** RFC 9110, section 5.6.4: bytes above ASCII are allowed here alone. */
const QUOTED = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
const EXTENSION = `[\\t ]*;[\\t ]*${TOKEN}(?:[\\t ]*=[\\t ]*(?:${TOKEN}|${QUOTED}))?`;
/** A size in hexadecimal that is a safe integer, then extensions (RFC 9112, section 7.1). */
const CHUNK_LINE = new RegExp(`^([0-9A-Fa-f]{1,13})(?:${EXTENSION})*\\r\\n`);
/** The beginning of what may become such a line. */
const START_OF_LINE = /^[0-9A-Fa-f]{0,13}(?:[\t ;][\t\x20-\x7e\x80-\xff]*)?\r?$/;

const SECTION_END = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;

const BAD_LINE = badRequest(
  "a chunk of the body does not begin with its size in hexadecimal and valid extensions",
);
const BAD_END = badRequest("a chunk of the body does not end with CRLF");

type State = "size" | "data" | "data end" | "trailers" | "end";

/** Decodes a body in the chunked transfer coding (RFC 9112, section 7.1). */
export class ChunkedDecoder {
  /** The trailer section, once `isEnded`; undefined without trailers. */
  trailers: FieldSection | undefined;
  /** The bytes of the chunk in progress that have not been received. */
  #left = 0;
  #extensions = 0;
  #state: State = "size";
  readonly #limits: SectionLimits;

  constructor(limits: SectionLimits) {
    this.#limits = limits;
  }

  get isEnded(): boolean {
    return this.#state === "end";
  }

  /**
   * Decodes bytes from a position, up to the next data. Returns the position after what was consumed; it does not advance if
   * more bytes are needed. Returns why the body is rejected, if it is. Data is passed to `receive`.
   */
  decode(bytes: Buffer, at: number, receive: (data: Uint8Array) => void): number | Rejection {
    switch (this.#state) {
      case "size":
        return this.#readSize(bytes, at);
      case "data": {
        const end = Math.min(bytes.length, at + this.#left);
        this.#left -= end - at;
        if (this.#left === 0) {
          this.#state = "data end";
        }
        receive(bytes.subarray(at, end));
        return end;
      }
      case "data end":
        return this.#readDataEnd(bytes, at);
      case "trailers":
        return this.#readTrailers(bytes, at);
      default:
        return at;
    }
  }

  #readSize(bytes: Buffer, at: number): number | Rejection {
    const start = bytes.toString("latin1", at, at + MAX_LINE + 2);
    const match = CHUNK_LINE.exec(start);
    if (match === null) {
      if (!START_OF_LINE.test(start)) {
        return BAD_LINE;
      }
      const message = `the extensions of a chunk are too long; allowed: ${MAX_LINE} bytes`;
      return start.length === MAX_LINE + 2 ? rejection("BODY_TOO_LARGE", message) : at;
    }
    const [line, digits = ""] = match;
    this.#extensions += line.length - 2 - digits.length;
    if (this.#extensions > MAX_EXTENSIONS) {
      return rejection(
        "BODY_TOO_LARGE",
        `the chunk extensions of the body are too long; allowed: ${MAX_EXTENSIONS} bytes`,
      );
    }
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? "trailers" : "data";
    return at + line.length;
  }

  #readDataEnd(bytes: Buffer, at: number): number | Rejection {
    if (bytes[at] !== CR || (at + 1 < bytes.length && bytes[at + 1] !== LF)) {
      return BAD_END;
    }
    if (at + 1 >= bytes.length) {
      return at;
    }
    this.#state = "size";
    return at + 2;
  }

  #readTrailers(bytes: Buffer, at: number): number | Rejection {
    if (bytes.length - at < 2) {
      return at;
    }
    if (bytes[at] === CR && bytes[at + 1] === LF) {
      this.#state = "end";
      return at + 2;
    }
    const end = bytes.indexOf(SECTION_END, at);
    if ((end < 0 ? bytes.length : end) - at > 2 * this.#limits.maxHeaderBytes) {
      return sectionTooLarge(this.#limits);
    }
    if (end < 0) {
      return at;
    }
    const section = parseSection(bytes, at, end + 2, 0, this.#limits);
    if (!(section instanceof FieldSection)) {
      return section;
    }
    this.trailers = section;
    this.#state = "end";
    return end + SECTION_END.length;
  }
}
