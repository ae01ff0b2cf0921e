import { fail, ok, type Result } from "../../result.js";
import type { EmailFailure } from "./email-failure.js";
import { codePointName, octets, toNfc } from "./text.js";

/**
 * The most octets a local part may have, its quotes included.
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.1
 */
export const MAX_LOCAL_PART_OCTETS = 64;

/** A local part: its text without quotes and backslashes, and whether it was written in quotes. */
export interface LocalPart {
  readonly text: string;
  readonly quoted: boolean;
}

// `atext` of RFC 5322 section 3.2.3, with the `UTF8-non-ascii` that RFC 6531 section 3.3 adds.
const ATEXT = String.raw`[A-Za-z0-9!#$%&'*+\-/=?^_\u0060{|}~\u{80}-\u{10FFFF}]`;
const DOT_ATOM = new RegExp(String.raw`^(?:${ATEXT}+\.)*${ATEXT}+$`, "u");
const NOT_ATEXT = new RegExp(String.raw`(?!\.|${ATEXT}).`, "su");

// `QcontentSMTP` of RFC 5321 section 4.1.2. RFC 6531 adds non-ASCII to `qtextSMTP`, not to `quoted-pairSMTP`.
const QUOTED_CONTENT = /^(?:[ !#-[\]-~\u{80}-\u{10FFFF}]|\\[ -~])*$/u;

// Joiners are letters' business in Persian and Indic scripts, variation selectors that of names in kanji;
// whatever else Unicode says to draw as nothing only makes two mailboxes look like one.
const INVISIBLE = /(?!\u200C|\u200D|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u;

/**
 * Whether a text can stand as a local part without quotes: `Dot-string` of RFC 5321 section 4.1.2, in its
 * extended form of RFC 6531 section 3.3.
 */
export function isDotAtom(text: string): boolean {
  return DOT_ATOM.test(text);
}

/**
 * Reads a local part as it is written before the `@`: a dot-atom, or one quoted string. The obsolete mixture
 * of both (`a."b".c`) is refused.
 */
export function parseLocalPart(written: string): Result<LocalPart, EmailFailure> {
  if (written === "") {
    return fail("LOCAL_PART_MISSING", "there must be a name before the @");
  }
  if (octets(written) > MAX_LOCAL_PART_OCTETS) {
    return localPartTooLong();
  }
  const invisible = INVISIBLE.exec(written);
  if (invisible) {
    const name = codePointName(invisible[0]);
    return fail(
      "INVISIBLE_CHARACTER",
      `the part before the @ must not contain the invisible character ${name}`,
    );
  }
  return written.startsWith('"') ? parseQuotedString(written) : parseDotAtom(written);
}

function parseDotAtom(written: string): Result<LocalPart, EmailFailure> {
  if (/[()]/.test(written)) {
    return fail("COMMENT_NOT_ALLOWED", "comments in parentheses are not allowed: give the bare address");
  }
  if (/\s/u.test(written)) {
    return fail(
      "WHITE_SPACE",
      "the part before the @ must not contain white space outside quotes (in a query or a form, a plus sign is written %2B)",
    );
  }
  const stranger = NOT_ATEXT.exec(written);
  if (stranger) {
    const name = codePointName(stranger[0]);
    return fail("INVALID_LOCAL_PART", `the part before the @ must not contain ${name} outside quotes`);
  }
  if (!isDotAtom(written)) {
    return fail(
      "MISPLACED_DOT",
      "the part before the @ must not start or end with a dot, nor have two in a row",
    );
  }
  return ok({ text: written, quoted: false });
}

function parseQuotedString(written: string): Result<LocalPart, EmailFailure> {
  const content = written.slice(1, -1);
  if (/[^\S ]/u.test(content)) {
    return fail("WHITE_SPACE", "the only white space allowed in quotes is the space, U+0020");
  }
  if (written.length < 2 || !written.endsWith('"') || !QUOTED_CONTENT.test(content)) {
    return fail(
      "INVALID_QUOTED_STRING",
      'the part before the @ must be one quoted string, in which \\" stands for " and \\\\ for \\',
    );
  }
  return ok({ text: content.replace(/\\(.)/gu, "$1"), quoted: true });
}

/**
 * Writes a local part with the minimum of quoting, as RFC 5321 section 4.1.2 asks of senders: no quotes where
 * none are needed, a backslash before `"` and `\` only.
 */
export function formatLocalPart(text: string): string {
  return isDotAtom(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * Lower-cases a local part, letters outside ASCII included, by Unicode's default rules (no locale): `Σ` at a
 * word's end becomes `ς`, `İ` becomes `i` with a combining dot. The result is in NFC, so a second turn
 * changes nothing.
 */
export function lowerCaseLocalPart(text: string): string {
  return toNfc(text.toLowerCase());
}

/** The failure of a local part that is too long. */
export function localPartTooLong() {
  return fail(
    "LOCAL_PART_TOO_LONG",
    `the part before the @ must have at most ${MAX_LOCAL_PART_OCTETS} octets of UTF-8, in its normal form too`,
  );
}
