import { type Options, toASCII, toUnicode } from "tr46";
import { fail, ok, type Result } from "../../result.js";
import type { EmailFailure } from "./email-failure.js";

/** The most octets a domain name may have as text, without a final dot (RFC 1035 section 2.3.4). */
const MAX_DOMAIN_OCTETS = 253;

/** The most octets a label may have (RFC 1035 section 2.3.4). */
const MAX_LABEL_OCTETS = 63;

// CheckHyphens is off, because it would also refuse ASCII names with hyphens in third and fourth place, which
// exist and get mail; hyphens at a label's ends are looked for below. Lengths are measured below as well, to
// say which one is wrong.
const UTS46: Options = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  ignoreInvalidPunycode: false,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
};

// What processing would only lower-case: nearly all domains, and it takes several times as long as all the rest.
const PLAIN_ASCII = /^(?!.*xn--)[a-z0-9.-]*$/i;

/**
 * The one form of a domain name: lower-case A-labels (punycode), by non-transitional processing of UTS #46 for
 * Unicode 17.0 (https://www.unicode.org/reports/tr46/), which also maps full-width letters and `。`.
 *
 * The name must fit RFC 5321's `Domain` and have at least two labels. Its grammar has no final dot, so
 * `example.com.` is refused, as mail servers do. A last label that makes URL parsers read an IPv4 address
 * (https://url.spec.whatwg.org/#ends-in-a-number-checker) is refused: no top-level domain looks like that.
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
  if (labels.some((label) => label.length > MAX_LABEL_OCTETS)) {
    return fail(
      "LABEL_TOO_LONG",
      `each label of the domain must have at most ${MAX_LABEL_OCTETS} octets, as an A-label (punycode)`,
    );
  }
  if (ascii.length > MAX_DOMAIN_OCTETS) {
    return fail(
      "DOMAIN_TOO_LONG",
      `the domain must have at most ${MAX_DOMAIN_OCTETS} octets, written in A-labels (punycode)`,
    );
  }
  // Read as U-labels, for `xn--` hides a hyphen in front.
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
