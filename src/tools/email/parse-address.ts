import { fail, ok, type Result } from "../../result.js";
import type { EmailFailure } from "./email-failure.js";
import { parseLocalPart } from "./local-part.js";
import { codePointName, octets, toNfc } from "./text.js";

/**
 * The most octets an address may have: a path has at most 256, its angle brackets included.
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3
 */
export const MAX_EMAIL_OCTETS = 254;

/** An `addr-spec`, taken apart; in NFC, otherwise as it was written. */
export interface EmailAddress {
  /** What is before the `@`, without quotes and backslashes. */
  readonly localPart: string;
  /** Whether the local part was written as a quoted string. */
  readonly quoted: boolean;
  /** What is after the `@`: a name, whose labels are not checked yet. */
  readonly domain: string;
  /** The whole address as it was written, without white space around it; not in NFC. */
  readonly trimmed: string;
  /** What is before the `@` as it was written. */
  readonly writtenLocalPart: string;
}

// Control characters in Unicode's sense (C0, DEL, C1), the line and paragraph separators, and the characters
// that change the direction of the text around them.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Reads an e-mail address: `Mailbox` of RFC 5321 section 4.1.2 with the extensions of RFC 6531 section 3.3,
 * without address literals and without the comments and folding that RFC 5322 allows in message headers.
 * White space around it is dropped. Bounded by {@link MAX_EMAIL_OCTETS} before anything else is looked at.
 */
export function parseAddress(input: string): Result<EmailAddress, EmailFailure> {
  const trimmed = input.trim();
  if (trimmed === "") {
    return fail("REQUIRED", "an e-mail address is required, such as user@example.com");
  }
  if (octets(trimmed) > MAX_EMAIL_OCTETS) {
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
    return fail("CONTROL_CHARACTER", `the address must not contain the control ${codePointName(control[0])}`);
  }
  const parts = splitAtSign(toNfc(trimmed));
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

interface Parts {
  readonly localPart: string;
  readonly domain: string;
}

/** Splits at the last `@` that is not in the quotes that the address starts with. */
function splitAtSign(text: string): Result<Parts, EmailFailure> {
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

/** Refuses what is no domain name but has a meaning of its own, so that the failure can say which. */
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

/** The failure of an address that is too long. */
export function emailTooLong() {
  return fail(
    "EMAIL_TOO_LONG",
    `the address must have at most ${MAX_EMAIL_OCTETS} octets of UTF-8, in its normal form too`,
  );
}
