import { type Options, toASCII, toUnicode } from "tr46";
import { fail, ok, type Result } from "../../result.js";
import type { EmailFailure } from "./email-address.js";

/** The length limit of a domain name in bytes, as text without a final dot (RFC 1035 section 2.3.4). */
const MAX_DOMAIN_BYTES = 253;

/** The length limit of a label in bytes (RFC 1035 section 2.3.4). */
const MAX_LABEL_BYTES = 63;

// CheckHyphens also rejects ASCII names with hyphens in third and fourth place, which exist and receive mail. Hyphens at
// the ends of labels are checked below, and so are lengths, so that the failure can name the limit.
const UTS46: Options = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  ignoreInvalidPunycode: false,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
};

// Matches domains that UTS #46 only converts to lower case: nearly all. Its processing takes most of the time.
const PLAIN_ASCII = /^(?!.*xn--)[a-z0-9.-]*$/i;

/**
 * Converts a domain name to lower-case A-labels (punycode), by the non-transitional processing of UTS #46 for
 * Unicode 17.0 (https://www.unicode.org/reports/tr46/), which also maps full-width letters and `。`.
 *
 * The name must be a `Domain` of RFC 5321 with at least two labels. The grammar has no final dot, so `example.com.` is
 * rejected, as mail servers do. A last label that URL parsers take for an IPv4 address
 * (https://url.spec.whatwg.org/#ends-in-a-number-checker) is rejected: no top-level domain looks like that.
 */
export function normalizeDomain(domain: string): Result<string, EmailFailure> {
  const plain = PLAIN_ASCII.test(domain);
  const ascii = plain ? domain.toLowerCase() : toASCII(domain, UTS46);
  if (ascii === null) {
    return fail(
      "INVALID_DOMAIN",
      "the domain must be made of letters, digits, hyphens and dots, or be valid as an internationalised name",
    );
  }
  const labels = ascii.split(".");
  if (labels.includes("")) {
    return fail("INVALID_DOMAIN", "the domain must not start or end with a dot, nor have two in a row");
  }
  if (labels.some((label) => label.length > MAX_LABEL_BYTES)) {
    return fail(
      "LABEL_TOO_LONG",
      `each label of the domain must have at most ${MAX_LABEL_BYTES} bytes, as an A-label (punycode)`,
    );
  }
  if (ascii.length > MAX_DOMAIN_BYTES) {
    return fail(
      "DOMAIN_TOO_LONG",
      `the domain must have at most ${MAX_DOMAIN_BYTES} bytes, written in A-labels (punycode)`,
    );
  }
  // Checks U-labels, because `xn--` hides a leading hyphen.
  if ((plain ? labels : toUnicode(ascii, UTS46).domain.split(".")).some(hasHyphenAtEnd)) {
    return fail("INVALID_DOMAIN", "no label of the domain may start or end with a hyphen");
  }
  if (labels.length === 1) {
    return fail("DOMAIN_WITHOUT_DOT", "the domain must have a dot, as in example.com");
  }
  if (/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? "")) {
    return fail("NUMERIC_TOP_LEVEL_DOMAIN", "the domain must be a name: its last label must not be a number");
  }
  return ok(ascii);
}

function hasHyphenAtEnd(label: string): boolean {
  return label.startsWith("-") || label.endsWith("-");
}
