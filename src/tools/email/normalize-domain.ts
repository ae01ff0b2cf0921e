import { domainToASCII, domainToUnicode } from "node:url";
import { type Options, toASCII, toUnicode } from "tr46";
import { fail, ok, type Result } from "../../failures/result.js";
import { characterName, type EmailFailure } from "./email-address.js";

/** The length limit of a domain name in bytes, as text without a final dot (RFC 1035 section 2.3.4). */
const MAX_DOMAIN_BYTES = 253;

/** The length limit of a label in bytes (RFC 1035 section 2.3.4). */
const MAX_LABEL_BYTES = 63;

/** The minimum length of an A-label that is not ASCII as a U-label: `xn--` and the code of one character. */
const MIN_A_LABEL_BYTES = 6;

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

// Matches domains for which Node's conversion has the same result in all supported versions, or none, and is 20 times as fast.
// Their letters are old, run from left to right, and have no rules for their context. The capital sharp s (U+1E9E) has changed.
const COMMON_LETTERS =
  /^(?!.*(?:[xX][nN]--|(?![-.])[\u1E9E\u303B\p{P}\p{S}\p{M}\p{Nl}\p{No}]))[-.0-9A-Za-z\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}가-힣]*$/u;

// The code points that IDNA2008 disallows and UTS #46 permits: neither letters nor digits nor marks, enclosing marks, old jamo, and the
// blocks and exceptions of RFC 5892, sections 2.6 to 2.9. Those that are not assigned are left to UTS #46, whose Unicode is newer.
const DISALLOWED =
  /(?![-.\u00B7\u0375\u05F3\u05F4\u06FD\u06FE\u0F0B\u3007\u30FB])(?:[\p{P}\p{S}\p{Z}\p{Nl}\p{No}\p{Me}\u0640\u07FA\u1100-\u11FF\u3031-\u3035\u303B\uA960-\uA97C\uD7B0-\uD7FB]|[\u20D0-\u20FF]|\u302E|\u302F|[\u{1D165}-\u{1D1AD}]|[\u{1D242}-\u{1D244}])/u;

// Characters that need a context within their label (RFC 5892, appendix A.3 to A.7).
const OUT_OF_CONTEXT =
  /(?<!l)\u00B7|\u00B7(?!l)|\u0375(?!\p{sc=Greek})|(?<!\p{sc=Hebrew})[\u05F3\u05F4]|(?<![\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}].*)\u30FB(?!.*[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}])/u;

// Characters that UTS #46 removes.
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** A domain in A-labels, and its labels as U-labels. */
interface ConvertedDomain {
  readonly ascii: string;
  /** May differ from the U-labels, except in their hyphens at the ends. */
  readonly labels: readonly string[];
}

/**
 * Converts a domain name to lower-case A-labels (punycode), by the non-transitional processing of UTS #46 for
 * Unicode 17.0 (https://www.unicode.org/reports/tr46/), which also maps full-width letters and `。`. Rejects what IDNA2008 disallows
 * (https://www.rfc-editor.org/rfc/rfc5892), because no registry has such names.
 *
 * The name must be a `Domain` of RFC 5321 with at least two labels. The grammar has no final dot, so `example.com.` is
 * rejected, as mail servers do. A last label that URL parsers take for an IPv4 address
 * (https://url.spec.whatwg.org/#ends-in-a-number-checker) is rejected: no top-level domain looks like that.
 */
export function normalizeDomain(domain: string): Result<string, EmailFailure> {
  const converted = convert(domain);
  if (!converted.ok) {
    return converted;
  }
  const { ascii } = converted.value;
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
    return domainTooLong();
  }
  if (converted.value.labels.some(hasHyphenAtEnd)) {
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

/** Converts a domain in the fastest way that is right for it. */
function convert(domain: string): Result<ConvertedDomain, EmailFailure> {
  if (PLAIN_ASCII.test(domain)) {
    const ascii = domain.toLowerCase();
    return ok({ ascii, labels: ascii.split(".") });
  }
  if (COMMON_LETTERS.test(domain)) {
    // Empty for invalid domains, and for numbers as the last label.
    const ascii = domainToASCII(domain);
    if (ascii !== "") {
      return ok({ ascii, labels: domain.split(".") });
    }
  }
  // The conversion of many labels that is needed otherwise takes long.
  if (minLength(domain) > MAX_DOMAIN_BYTES) {
    return domainTooLong();
  }
  const ascii = toASCII(domain, UTS46);
  if (ascii === null) {
    return fail(
      "INVALID_DOMAIN",
      "the domain must be made of letters, digits, hyphens and dots, or be valid as an internationalised name",
    );
  }
  // `xn--` hides a leading hyphen, and characters that nobody can register.
  const labels = unicodeLabels(ascii);
  const problem = labels.map(findDisallowed).find((found) => found !== undefined);
  return problem === undefined
    ? ok({ ascii, labels })
    : fail("INVALID_DOMAIN", `the domain must not contain ${problem} (RFC 5892)`);
}

/** Returns the U-labels of a valid domain in A-labels. */
function unicodeLabels(ascii: string): string[] {
  // It decodes 10 times as fast as the other conversion, which also checks what has been checked. What it does not know, it leaves.
  const labels = domainToUnicode(ascii).split(".");
  return labels.length === 1 || labels.some((label) => label.startsWith("xn--"))
    ? toUnicode(ascii, UTS46).domain.split(".")
    : labels;
}

/** Names the first character of a U-label that IDNA2008 disallows, and says why. */
function findDisallowed(label: string): string | undefined {
  const [disallowed] = DISALLOWED.exec(label) ?? [];
  if (disallowed !== undefined) {
    return `${characterName(disallowed)}: IDNA2008 has it as DISALLOWED`;
  }
  const [misplaced] = OUT_OF_CONTEXT.exec(label) ?? [];
  return misplaced && `${characterName(misplaced)} there: IDNA2008 allows it only among certain letters`;
}

/** A lower bound of the length of a domain in A-labels. */
function minLength(domain: string): number {
  let length = -1;
  for (const label of domain.normalize("NFKC").replace(IGNORED, "").split(/[.。]/)) {
    length += 1 + (/^[\0-\x7f]*$/.test(label) ? label.length : MIN_A_LABEL_BYTES);
  }
  return length;
}

function domainTooLong() {
  return fail(
    "DOMAIN_TOO_LONG",
    `the domain must have at most ${MAX_DOMAIN_BYTES} bytes, written in A-labels (punycode)`,
  );
}

function hasHyphenAtEnd(label: string): boolean {
  return label.startsWith("-") || label.endsWith("-");
}
