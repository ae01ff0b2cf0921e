import { type ParsedSection, parseSection, type RequestSection } from "./header-section.js";

/** What the bytes so far are: a whole ordinary head, possibly the start of one, or something else. */
export type HeadOutcome = "complete" | "incomplete" | "doubtful";

/** The methods of ordinary requests. The target follows in origin-form, which starts with a slash (RFC 9112, section 3.2.1). */
const METHODS = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"].map((name) => ({
  name,
  start: Buffer.from(`${name} /`),
}));

const VERSION = Buffer.from(" HTTP/1.1\r\n");

const END = Buffer.from("\r\n\r\n");

/** What no header section contains: controls, a bare CR, a bare LF, or a line that continues the one before. */
const IMPLAUSIBLE = /[^\t\r\n\x20-\x7e\x80-\xff]|(?<!\r)\n|\r[^\n]|\n[\t ]/;

/** The maximum length of a header section that is kept for comparison with the next one. */
const MAX_KEPT = 4096;

/** 1 for each byte that a target may contain: visible ASCII, but no `#`, because a fragment is not part of a target. */
const TARGET_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte > 0x20 && byte < 0x7f && byte !== 0x23),
);

interface Method {
  readonly name: string;
  readonly start: Buffer;
}

/** The bytes of a section with its empty line, without its content length. */
interface KeptSection {
  /** The bytes before the content length, or all bytes. */
  readonly before: Buffer;
  /** The bytes after it, from the CRLF on; undefined if the section has no content length. */
  readonly after: Buffer | undefined;
}

/** The maximum number of digits of a content length. */
const MAX_DIGITS = 15;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads heads of ordinary requests: request lines with header sections (RFC 9112). One parser serves one connection; it does
 * not parse a header section that equals the one before, except for the content length.
 */
export class HeadParser {
  /** The results of the latest `read` that has returned "complete". */
  method = "";
  target = "";
  section: RequestSection | undefined;
  /** The position after the head. */
  end = 0;
  /** The latest section that was parsed; undefined if it is long. */
  #kept: KeptSection | undefined;

  /** Reads the head that starts at `at`. */
  read(bytes: Buffer, at: number): HeadOutcome {
    const { length } = bytes;
    const method = methodAt(bytes, at);
    if (typeof method === "string") {
      return method;
    }
    const targetAt = at + method.start.length - 1;
    let versionAt = targetAt + 1;
    while (versionAt < length && TARGET_BYTES[bytes[versionAt] ?? 0] === 1) {
      versionAt += 1;
    }
    const compared = equalBytes(bytes, versionAt, VERSION);
    if (compared < VERSION.length) {
      return versionAt + compared === length ? "incomplete" : "doubtful";
    }
    const sectionAt = versionAt + VERSION.length;
    if (!this.#reuse(bytes, sectionAt)) {
      // The section may be empty: then its end is the CRLF of the request line with the empty line.
      const end = bytes.indexOf(END, sectionAt - 2);
      if (end < 0) {
        return IMPLAUSIBLE.test(bytes.toString("latin1", sectionAt)) ? "doubtful" : "incomplete";
      }
      const parsed = parseSection(bytes.toString("latin1", sectionAt, end + 2));
      if (parsed === undefined) {
        return "doubtful";
      }
      this.section = parsed.section;
      this.end = end + END.length;
      this.#kept = this.end - sectionAt <= MAX_KEPT ? keep(bytes, sectionAt, this.end, parsed) : undefined;
    }
    this.method = method.name;
    this.target = bytes.toString("latin1", targetAt, versionAt);
    return "complete";
  }

  /** Uses the latest section if the one at a position differs from it at most in its content length; otherwise returns false. */
  #reuse(bytes: Buffer, at: number): boolean {
    const { section } = this;
    const kept = this.#kept;
    if (section === undefined || kept === undefined || !isAt(bytes, at, kept.before)) {
      return false;
    }
    const lengthAt = at + kept.before.length;
    if (kept.after === undefined) {
      this.end = lengthAt;
      return true;
    }
    let contentLength = 0;
    let lengthEnd = lengthAt;
    for (let byte = bytes[lengthEnd] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[lengthEnd] ?? 0) {
      contentLength = contentLength * 10 + byte - ZERO;
      lengthEnd += 1;
    }
    const digits = lengthEnd - lengthAt;
    const isPlain = digits === 1 || (digits > 1 && digits <= MAX_DIGITS && bytes[lengthAt] !== ZERO);
    if (!isPlain || !isAt(bytes, lengthEnd, kept.after)) {
      return false;
    }
    if (contentLength !== section.contentLength) {
      this.section = section.withContentLength(contentLength);
    }
    this.end = lengthEnd + kept.after.length;
    return true;
  }
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  const end = at + expected.length;
  return end <= bytes.length && bytes.compare(expected, 0, expected.length, at, end) === 0;
}

/** Copies the bytes of a section, because a view would retain all that was read with it. */
function keep(bytes: Buffer, from: number, to: number, { lengthAt }: ParsedSection): KeptSection {
  const copy = Buffer.allocUnsafeSlow(to - from);
  bytes.copy(copy, 0, from, to);
  return lengthAt === undefined
    ? { before: copy, after: undefined }
    : { before: copy.subarray(0, lengthAt[0]), after: copy.subarray(lengthAt[1]) };
}

function methodAt(bytes: Buffer, at: number): Method | "incomplete" | "doubtful" {
  let outcome: HeadOutcome = "doubtful";
  for (const method of METHODS) {
    const compared = equalBytes(bytes, at, method.start);
    if (compared === method.start.length) {
      return method;
    }
    if (at + compared === bytes.length) {
      outcome = "incomplete";
    }
  }
  return outcome;
}

/** The number of leading bytes of `expected` that are found at a position. */
function equalBytes(bytes: Buffer, at: number, expected: Buffer): number {
  let count = 0;
  while (count < expected.length && bytes[at + count] === expected[count]) {
    count += 1;
  }
  return count;
}
