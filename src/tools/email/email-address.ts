import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** Why a text is not an e-mail address that can be normalized. Part of the API. */
export type EmailFailureReason =
  | "REQUIRED"
  | "EMAIL_TOO_LONG"
  | "UNPAIRED_SURROGATE"
  | "CONTROL_CHARACTER"
  | "INVISIBLE_CHARACTER"
  | "WHITE_SPACE"
  | "COMMENT_NOT_ALLOWED"
  | "DISPLAY_NAME_NOT_ALLOWED"
  | "AT_SIGN_MISSING"
  | "LOCAL_PART_MISSING"
  | "LOCAL_PART_TOO_LONG"
  | "MISPLACED_DOT"
  | "INVALID_LOCAL_PART"
  | "INVALID_QUOTED_STRING"
  | "DOMAIN_MISSING"
  | "DOMAIN_TOO_LONG"
  | "DOMAIN_WITHOUT_DOT"
  | "INVALID_DOMAIN"
  | "IP_LITERAL_NOT_ALLOWED"
  | "LABEL_TOO_LONG"
  | "NUMERIC_TOP_LEVEL_DOMAIN"
  | "INVALID_LINK"
  | "SEVERAL_ADDRESSES";

/** A failure of this tool. Descriptions never repeat the address: it is personal data. */
export type EmailFailure = Failure<EmailFailureReason>;

/**
 * The length limit of an address in bytes: a path has at most 256, including its angle brackets.
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3
 */
export const MAX_EMAIL_BYTES = 254;

/**
 * The length limit of a local part in bytes, including its quotes.
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.1
 */
export const MAX_LOCAL_PART_BYTES = 64;

/** The parts of an `addr-spec`, in NFC unless noted otherwise. */
export interface EmailAddress {
  /** The part before the `@`, without quotes and backslashes. */
  readonly localPart: string;
  /** Whether the local part is a quoted string in the input. */
  readonly quoted: boolean;
  /** The part after the `@`: a name, whose labels are not checked yet. */
  readonly domain: string;
  /** The input without white space and quotes around it; not in NFC. */
  readonly trimmed: string;
  /** The part before the `@`, with its quotes and backslashes. */
  readonly writtenLocalPart: string;
}

// Control characters in Unicode's sense (C0, DEL, C1), the line and paragraph separators, and the characters that change
// the direction of the text around them.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Parses an e-mail address: `Mailbox` of RFC 5321 section 4.1.2 with the extensions of RFC 6531 section 3.3, without
 * address literals and without the display names, angle brackets, comments and folding that RFC 5322 allows in message
 * headers. Removes white space and quotes around it, and reads a full-width @ where there is no other. Checks
 * {@link MAX_EMAIL_BYTES} first, which bounds the time of everything else.
 */
export function parseEmailAddress(input: string): Result<EmailAddress, EmailFailure> {
  const trimmed = withoutQuotes(input.trim());
  if (trimmed === "") {
    return fail("REQUIRED", "an e-mail address is required, such as user@example.com");
  }
  if (byteLength(trimmed) > MAX_EMAIL_BYTES) {
    return emailTooLong();
  }
  if (/\p{Surrogate}/u.test(trimmed)) {
    return fail(
      "UNPAIRED_SURROGATE",
      "the address must be well-formed Unicode: it has half of a surrogate pair",
    );
  }
  const control = CONTROL.exec(trimmed);
  if (control) {
    return fail("CONTROL_CHARACTER", `the address must not contain the control ${characterName(control[0])}`);
  }
  if (hasAngleBrackets(trimmed)) {
    return fail(
      "DISPLAY_NAME_NOT_ALLOWED",
      "a display name and angle brackets are not allowed: give the bare address, such as user@example.com",
    );
  }
  const parts = splitAtSign(withAtSign(toNfc(trimmed)));
  if (!parts.ok) {
    return parts;
  }
  const localPart = parseLocalPart(parts.value.localPart);
  if (!localPart.ok) {
    return localPart;
  }
  const domain = checkDomainForm(parts.value.domain);
  if (!domain.ok) {
    return domain;
  }
  return ok({
    localPart: localPart.value.text,
    quoted: localPart.value.quoted,
    domain: domain.value,
    trimmed,
    writtenLocalPart: parts.value.localPart,
  });
}

/**
 * Whether there is an `angle-addr` of RFC 5322 section 3.4 outside quoted strings: `<user@example.com>`, usually after a
 * display name.
 */
function hasAngleBrackets(text: string): boolean {
  const quotedString = /"(?:[^"\\]|\\.)*"/gsu;
  return text.includes("<") && /<[^<>]*@[^<>]*>/u.test(text.replace(quotedString, ""));
}

// No domain ends with a quotation mark, so that the quotes are around the whole.
const IN_QUOTES = /^["'`\p{Pi}\p{Pf}„‚]([^<>]*[@＠][^<>]*)["'`\p{Pi}\p{Pf}]$/u;

function withoutQuotes(text: string): string {
  return text.length > MAX_EMAIL_BYTES + 2 ? text : (IN_QUOTES.exec(text)?.[1]?.trim() ?? text);
}

/** Makes the last full-width `＠` an `@` if the address has no `@`, as UTS #46 does with full-width letters of a domain. */
function withAtSign(text: string): string {
  return text.includes("@") ? text : text.replace(/＠(?=[^＠]*$)/u, "@");
}

/** Splits at the last `@` after the quoted string at the start, if there is one. */
function splitAtSign(
  text: string,
): Result<{ readonly localPart: string; readonly domain: string }, EmailFailure> {
  const quotedString = text.startsWith('"') ? /^"(?:[^"\\]|\\.)*"/su.exec(text)?.[0] : "";
  if (quotedString === undefined) {
    return fail("INVALID_QUOTED_STRING", "the quoted string that the address starts with is not closed");
  }
  const at = text.lastIndexOf("@");
  if (at < quotedString.length) {
    return fail("AT_SIGN_MISSING", "an e-mail address has an @ between its name and its domain");
  }
  return ok({ localPart: text.slice(0, at), domain: text.slice(at + 1) });
}

/** Rejects domains of known other forms, so that the failure can name the form. */
function checkDomainForm(domain: string): Result<string, EmailFailure> {
  if (domain === "") {
    return fail("DOMAIN_MISSING", "there must be a domain after the @");
  }
  if (/[()]/.test(domain)) {
    return fail("COMMENT_NOT_ALLOWED", "comments in parentheses are not allowed: give the bare address");
  }
  if (/\s/u.test(domain)) {
    return fail("WHITE_SPACE", "the domain must not contain white space");
  }
  if (domain.startsWith("[")) {
    return fail("IP_LITERAL_NOT_ALLOWED", "the domain must be a name, not an IP address in brackets");
  }
  return ok(domain);
}

/** A local part, without quotes and backslashes. */
interface LocalPart {
  readonly text: string;
  /** Whether it is a quoted string in the input. */
  readonly quoted: boolean;
}

// `atext` of RFC 5322 section 3.2.3, with the `UTF8-non-ascii` of RFC 6531 section 3.3.
const ATEXT = String.raw`[A-Za-z0-9!#$%&'*+\-/=?^_\u0060{|}~\u{80}-\u{10FFFF}]`;
// A combining mark at the start would combine with the text before the address.
const DOT_ATOM = new RegExp(String.raw`^(?!\p{M})(?:${ATEXT}+\.)*${ATEXT}+$`, "u");
const NOT_ATEXT = new RegExp(String.raw`(?!\.|${ATEXT}).`, "su");

// `QcontentSMTP` of RFC 5321 section 4.1.2. RFC 6531 adds non-ASCII to `qtextSMTP`, not to `quoted-pairSMTP`.
const QUOTED_CONTENT = /^(?:[ !#-[\]-~\u{80}-\u{10FFFF}]|\\[ -~])*$/u;

// Characters without an appearance of their own, which only make two mailboxes look the same. Joiners and variation
// selectors are allowed: Persian and Indic scripts need the former, and names in kanji the latter.
const INVISIBLE = Object.entries({
  "invisible character": /(?!\u200C|\u200D|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u,
  noncharacter: /\p{Noncharacter_Code_Point}/u,
  "private-use character": /\p{Private_Use}/u,
});

/**
 * Whether a text is valid as a local part without quotes: `Dot-string` of RFC 5321 section 4.1.2, extended by RFC 6531
 * section 3.3, without a combining mark at the start.
 */
export function isDotAtom(text: string): boolean {
  return DOT_ATOM.test(text);
}

/** Parses the text before the `@`: a dot-atom or one quoted string. Rejects the obsolete mix of both (`a."b".c`). */
function parseLocalPart(written: string): Result<LocalPart, EmailFailure> {
  if (written === "") {
    return fail("LOCAL_PART_MISSING", "there must be a name before the @");
  }
  if (byteLength(written) > MAX_LOCAL_PART_BYTES) {
    return localPartTooLong();
  }
  for (const [kind, pattern] of INVISIBLE) {
    const found = pattern.exec(written);
    if (found) {
      const name = characterName(found[0]);
      return fail("INVISIBLE_CHARACTER", `the part before the @ must not contain the ${kind} ${name}`);
    }
  }
  const mark = /^"?(\p{M})/u.exec(written)?.[1];
  if (mark !== undefined) {
    return fail(
      "INVISIBLE_CHARACTER",
      `the part before the @ must not start with the combining mark ${characterName(mark)}`,
    );
  }
  return written.startsWith('"') ? parseQuotedString(written) : parseDotAtom(written);
}

function parseDotAtom(written: string): Result<LocalPart, EmailFailure> {
  if (/[()]/.test(written)) {
    return fail("COMMENT_NOT_ALLOWED", "comments in parentheses are not allowed: give the bare address");
  }
  if (/@.*[\s,;]/su.test(written)) {
    return severalAddresses();
  }
  if (/\s/u.test(written)) {
    return fail(
      "WHITE_SPACE",
      "the part before the @ must not contain white space outside quotes (in a query or a form, a plus sign is written %2B)",
    );
  }
  const invalid = NOT_ATEXT.exec(written);
  if (/^mailto:/i.test(written)) {
    return fail(
      "INVALID_LOCAL_PART",
      "a mailto: link is not allowed: give the bare address, such as user@example.com",
    );
  }
  if (invalid) {
    const name = characterName(invalid[0]);
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
 * Writes a local part with minimal quoting, as RFC 5321 section 4.1.2 requires of senders: quotes only if needed, and
 * backslashes only before `"` and `\`.
 */
export function formatLocalPart(text: string): string {
  return isDotAtom(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** The failure of an address that is too long. */
export function emailTooLong() {
  return fail(
    "EMAIL_TOO_LONG",
    `the address must have at most ${MAX_EMAIL_BYTES} bytes of UTF-8, in its normal form too`,
  );
}

/** The failure of a local part that is too long. */
export function localPartTooLong() {
  return fail(
    "LOCAL_PART_TOO_LONG",
    `the part before the @ must have at most ${MAX_LOCAL_PART_BYTES} bytes of UTF-8, in its normal form too`,
  );
}

/** The length of a text in bytes of UTF-8, the unit of all of SMTP's limits. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Unicode Normalization Form C, which RFC 6532 section 3.1 requires. */
export function toNfc(text: string): string {
  return text.normalize("NFC");
}

/** The failure of a text with several addresses. */
export function severalAddresses() {
  return fail("SEVERAL_ADDRESSES", "the text has several addresses: give one of them");
}

/** The first character of a text in descriptions: `“(”`, or `U+200B` for one that cannot be seen alone. */
export function characterName(text: string): string {
  const codePoint = text.codePointAt(0) ?? 0;
  const character = String.fromCodePoint(codePoint);
  return /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character)
    ? `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`
    : `“${character}”`;
}
