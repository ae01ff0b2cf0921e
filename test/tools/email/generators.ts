import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { MAIL_PROVIDERS } from "../../../src/tools/email/provider-rules.js";

/** Generates text of some of these pieces. */
function madeOf(pieces: readonly string[], minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { minLength, maxLength }).map((chosen) => chosen.join(""));
}

// Letters whose lower case or normal form is longer, shorter, contextual or several code points.
const LETTERS = [
  ..."abzABZ019_-",
  ..."éÉßẞıIİΣσςΑᾼǅﬁſÅÅΩ",
  ..."иИ中ア한ا",
  ..."\u0301\u0307\u0327\u0345\u{1D15E}",
  ..."Ⱥ𝐀😀",
  "e\u0301",
  "I\u0307",
  "A\u030A",
  "\u1100\u1161",
  "\u200C",
];

const ATOM = madeOf([...LETTERS, ..."ab".repeat(9), "+", "~", "=", "'"], 1, 6);
const DOT_ATOM = fc.array(ATOM, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join("."));

/** Generates local parts, most with a suffix; some start with `+`, some have a dot before it. */
const TAGGED = fc
  .tuple(DOT_ATOM, fc.constantFrom("", "+", "+tag", ".+tag", "+A.b-c", "+a+b"))
  .map(([name, suffix]) => name + suffix);

/** Generates quoted strings, many with unnecessary quotes. */
const QUOTED = madeOf([...LETTERS, ..." @.(),", '\\"', "\\\\", "\\a", "\\+", "+", "a"], 0, 8).map(
  (content) => `"${content}"`,
);

/** Generates local parts that are valid except for their length. */
const localParts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: TAGGED, weight: 4 },
  { arbitrary: QUOTED, weight: 1 },
);

const PROVIDER_DOMAINS = fc.constantFrom(
  ...MAIL_PROVIDERS.flatMap(({ domains }) => domains.slice(0, 8)),
  "outlook.com",
  "yahoo.com",
);

const LABEL = fc.oneof(
  madeOf([..."abcxyz019"], 1, 8),
  madeOf([..."ABCXYZ019", "a-b"], 1, 6),
  fc.constantFrom(
    "münchen",
    "MÜNCHEN",
    "mu\u0308nchen",
    "xn--mnchen-3ya",
    "faß",
    "σας",
    "日本語",
    "ｅｘ",
    "İz",
    "почта",
  ),
);
const NAMES = fc
  .tuple(
    fc.array(LABEL, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("com", "DE", "рф", "xn--p1ai"),
    fc.constantFrom(".", "。"),
  )
  .map(([labels, top, dot]) => [...labels, top].join(dot));

/** Generates domains: those of providers (in any case, with full-width dots, with a subdomain) and others. */
export const domains: fc.Arbitrary<string> = fc.oneof(
  PROVIDER_DOMAINS,
  PROVIDER_DOMAINS.map((domain) => domain.toUpperCase()),
  PROVIDER_DOMAINS.map((domain) => domain.replaceAll(".", "\uFF0E")),
  fc.tuple(LABEL, PROVIDER_DOMAINS).map(([label, domain]) => `${label}.${domain}`),
  NAMES,
);

/** Generates addresses, nearly all valid. */
export const addresses: fc.Arbitrary<string> = fc
  .tuple(localParts, domains)
  .map(([localPart, domain]) => `${localPart}@${domain}`);

/** Generates strings of any UTF-16 code units, including lone surrogates, some in the shape of an address. */
export const anyStrings: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.array(fc.nat(0xffff), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
  madeOf([...'"\\@.()[]<>+ \t\n\u0000\uD800\uDC00\u200B', "xn--", "a", "é", "@gmail.com"], 0, 30),
  fc
    .tuple(fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: ANY_CHARACTER }))
    .map((parts) => parts.join("@")),
  fc.stringMatching(/^[a-z0-9-]{0,20}$/).map((label) => `a@xn--${label}.com`),
);
