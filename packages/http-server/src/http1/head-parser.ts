import { parseSection, type RequestSection } from "./header-section.js";

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

/**
 * Reads heads of ordinary requests: request lines with header sections (RFC 9112). One parser serves one connection; it does
 * not parse a header section that equals the one before.
 */
export class HeadParser {
  /** The results of the latest `read` that has returned "complete". */
  method = "";
  target = "";
  section: RequestSection | undefined;
  /** The position after the head. */
  end = 0;
  /** The bytes of the latest section with its empty line; undefined if it is long. */
  #kept: Buffer | undefined;

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
    if (!this.#isKept(bytes, sectionAt)) {
      // The section may be empty: then its end is the CRLF of the request line with the empty line.
      const end = bytes.indexOf(END, sectionAt - 2);
      if (end < 0) {
        return IMPLAUSIBLE.test(bytes.toString("latin1", sectionAt)) ? "doubtful" : "incomplete";
      }
      const section = parseSection(bytes.toString("latin1", sectionAt, end + 2));
      if (section === undefined) {
        return "doubtful";
      }
      this.section = section;
      this.end = end + END.length;
      this.#kept = this.end - sectionAt <= MAX_KEPT ? copyOf(bytes, sectionAt, this.end) : undefined;
    }
    this.method = method.name;
    this.target = bytes.toString("latin1", targetAt, versionAt);
    return "complete";
  }

  /** Whether the section at a position equals the latest one. */
  #isKept(bytes: Buffer, at: number): boolean {
    const kept = this.#kept;
    if (kept === undefined || bytes.length - at < kept.length) {
      return false;
    }
    this.end = at + kept.length;
    return bytes.compare(kept, 0, kept.length, at, this.end) === 0;
  }
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

/** A copy, because a view would retain all that was read with it. */
function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(to - from);
  bytes.copy(copy, 0, from, to);
  return copy;
}
