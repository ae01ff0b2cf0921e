import { describe, expect, it } from "vitest";
import type { EmailFailureReason } from "../../../src/tools/email/email-address.js";
import { sanitizeEmail } from "../../../src/tools/email/sanitize-email.js";

type Accepted = readonly [input: string, email: string, source: string];
type Rejected = readonly [input: string, reason: EmailFailureReason, source: string];

const GMAIL_DOTS = "https://support.google.com/mail/answer/7436150";
const GOOGLEMAIL = "https://support.google.com/mail/answer/10313";
const FASTMAIL = "https://www.fastmail.help/hc/en-us/articles/360060591053";
const FASTMAIL_HYPHEN = "https://fastmail.blog/2008/01/24/two-address-resolving-additions/";
const PROTON_CHARACTERS = "https://proton.me/support/change-username";
const PROTON_DOMAINS = "https://proton.me/support/addresses-and-aliases";
const YANDEX_DOMAINS = "https://yandex.com/support/id/authorization/email.html";
const YANDEX_HYPHEN = "https://yandex.com/support/passport/authorization/registration.html";
const ICLOUD = "https://support.apple.com/en-us/118230";
const OUTLOOK =
  "https://support.microsoft.com/en-us/office/add-or-remove-an-email-alias-in-outlook-com-459b1989-356d-40fa-a689-8f285b13f1f2";
const YAHOO = "https://help.yahoo.com/kb/SLN28815.html";
const UTS46_MAP = "UTS #46 section 4, step 1 (map)";
const UTS46_VALIDITY = "UTS #46 section 4.1 (validity criteria)";
const RFC5892 = "RFC 5892 section 3: DISALLOWED";
const SMTP_LOCAL = "RFC 5321 section 4.1.2, Local-part";
const SMTP_DOMAIN = "RFC 5321 section 4.1.2, Domain";
const SMTP_QUOTED = "RFC 5321 section 4.1.2, Quoted-string";

const A64 = "a".repeat(64);
const A63 = "a".repeat(63);

describe("plain addresses", () => {
  accepts([
    ["user@example.com", "user@example.com", SMTP_LOCAL],
    ["User@Example.COM", "user@example.com", "observed: letters are lower-cased"],
    ["john.smith+newsletter@example.com", "john.smith@example.com", "observed: the suffix is removed"],
    ["first.middle.last@example.co.uk", "first.middle.last@example.co.uk", SMTP_LOCAL],
    ["a@b.co", "a@b.co", SMTP_LOCAL],
    ["1234567890@example.com", "1234567890@example.com", "RFC 5322 section 3.2.3: digits are atext"],
    ["!#$%&'*/=?^_`{|}~-@example.com", "!#$%&'*/=?^_`{|}~-@example.com", "RFC 5322 section 3.2.3, atext"],
    ["o'brien@example.ie", "o'brien@example.ie", "RFC 5322 section 3.2.3, atext"],
    ["_@example.com", "_@example.com", "RFC 5322 section 3.2.3, atext"],
    ["user%other.com@example.com", "user%other.com@example.com", "RFC 5322 section 3.2.3, atext"],
    ["  user@example.com\t\r\n", "user@example.com", "white space around is dropped"],
    [
      "\u00A0\uFEFFuser@example.com\u3000",
      "user@example.com",
      "so is that of Unicode, and a byte order mark",
    ],
    ["user＠example.com", "user@example.com", "an input method for Japanese writes the full-width @"],
    ["a＠b@example.com", "a＠b@example.com", "RFC 6531 section 3.3: a letter beside an @"],
    ...[
      '"user@example.com"',
      "'user@example.com'",
      "“user@example.com” ",
      "«user@example.com»",
      "„user@example.com“",
    ].map(
      (text): Accepted => [text, "user@example.com", "quotes around the whole, from a CSV file or a text"],
    ),
    ["user@sub.sub2.example.com", "user@sub.sub2.example.com", SMTP_DOMAIN],
    ["user@123.com", "user@123.com", "RFC 1123 section 2.1: a label may start with a digit"],
    ["user@1.2.3.com", "user@1.2.3.com", "RFC 1123 section 2.1"],
    ["user@a-b.com", "user@a-b.com", SMTP_DOMAIN],
    ["user@ab--cd.com", "user@ab--cd.com", "UTS #46 section 4, CheckHyphens off: such names get mail"],
    ["user@example.museum", "user@example.museum", SMTP_DOMAIN],
    [`${A64}@example.com`, `${A64}@example.com`, "RFC 5321 section 4.5.3.1.1: 64 bytes"],
    [`a@${A63}.com`, `a@${A63}.com`, "RFC 1035 section 2.3.4: labels of 63 bytes"],
    [
      `${A64}@${A63}.${A63}.${"a".repeat(57)}.com`,
      `${A64}@${A63}.${A63}.${"a".repeat(57)}.com`,
      "RFC 5321 section 4.5.3.1.3: 254 bytes",
    ],
  ]);
});

describe("suffixes", () => {
  accepts([
    ["user+tag@example.com", "user@example.com", "RFC 5233: subaddress"],
    ["user+@example.com", "user@example.com", "RFC 5233: an empty detail"],
    ["user+a+b@example.com", "user@example.com", "RFC 5233: the first separator counts"],
    ["user+a.b.c@example.com", "user@example.com", "RFC 5233"],
    ["+tag@example.com", "+tag@example.com", "nothing would be left"],
    ["+@example.com", "+@example.com", "nothing would be left"],
    ["+a+b@example.com", "+a+b@example.com", "nothing would be left"],
    ["a.+tag@example.com", "a.+tag@example.com", "`a.` is no Dot-string, and `a` is another mailbox"],
    ["a.b.+tag@example.com", "a.b.+tag@example.com", "`a.b.` is no Dot-string"],
    ["a.+tag@gmail.com", "a@gmail.com", GMAIL_DOTS],
    [
      "user-tag@example.com",
      "user-tag@example.com",
      "RFC 5321 section 2.4: only the host may read more into it",
    ],
    ["user=tag@example.com", "user=tag@example.com", "RFC 5321 section 2.4"],
  ]);
});

describe("quoted local parts", () => {
  accepts([
    ['"user"@example.com', "user@example.com", `${SMTP_QUOTED}: minimum quoting`],
    ['"User.Name"@example.com', "user.name@example.com", `${SMTP_QUOTED}: minimum quoting`],
    ['"us\\er"@example.com', "user@example.com", `${SMTP_QUOTED}: a\\bc is abc`],
    ['"user+tag"@example.com', "user@example.com", "the quotes mean nothing, so the suffix does"],
    ['"j.smith"@gmail.com', "jsmith@gmail.com", GMAIL_DOTS],
    ['"josé"@example.com', "josé@example.com", "RFC 6531 section 3.3: UTF8-non-ascii is atext"],
    ['"john doe"@example.com', '"john doe"@example.com', SMTP_QUOTED],
    ['"John Doe"@Example.COM', '"John Doe"@example.com', "RFC 5321 section 2.4: left to the host"],
    ['"john\\ doe"@example.com', '"john doe"@example.com', `${SMTP_QUOTED}: minimum quoting`],
    ['"john doe+tag"@example.com', '"john doe+tag"@example.com', "left alone"],
    ['"a@b"@example.com', '"a@b"@example.com', SMTP_QUOTED],
    ['"a@b@c"@example.com', '"a@b@c"@example.com', SMTP_QUOTED],
    ['"a..b"@example.com', '"a..b"@example.com', "not a Dot-string without quotes"],
    ['".a"@example.com', '".a"@example.com', "not a Dot-string without quotes"],
    ['"a."@example.com', '"a."@example.com', "not a Dot-string without quotes"],
    ['"a(b)c"@example.com', '"a(b)c"@example.com', `${SMTP_QUOTED}: no comments in quotes`],
    ['"a\\"b"@example.com', '"a\\"b"@example.com', "RFC 5321 section 4.1.2, quoted-pairSMTP"],
    ['"a\\\\b"@example.com', '"a\\\\b"@example.com', "RFC 5321 section 4.1.2, quoted-pairSMTP"],
    ['""@example.com', '""@example.com', `${SMTP_QUOTED}: may be empty`],
    ['" "@example.com', '" "@example.com', SMTP_QUOTED],
    ['"é è"@example.com', '"é è"@example.com', "RFC 6531 section 3.3, qtextSMTP"],
    ['"a..b"@googlemail.com', '"a..b"@gmail.com', GOOGLEMAIL],
    ['"a b"@user.fastmail.com', '"a b"@user.fastmail.com', "left alone"],
  ]);
  rejects([
    ['"user@example.com', "INVALID_QUOTED_STRING", SMTP_QUOTED],
    ['"user"', "AT_SIGN_MISSING", SMTP_QUOTED],
    ['"a@b"', "DOMAIN_WITHOUT_DOT", "quotes around the whole are removed"],
    ['"user"x@example.com', "INVALID_QUOTED_STRING", SMTP_QUOTED],
    ['"a"."b"@example.com', "INVALID_QUOTED_STRING", "RFC 5322 section 4.4: obs-local-part is obsolete"],
    ['"a"@b@example.com', "INVALID_QUOTED_STRING", SMTP_QUOTED],
    ['"a\\é"@example.com', "INVALID_QUOTED_STRING", "RFC 6531 section 3.3 leaves quoted-pairSMTP ASCII"],
    ['"a\\"@example.com', "INVALID_QUOTED_STRING", "the closing quote is escaped"],
    ['"a\tb"@example.com', "CONTROL_CHARACTER", "RFC 5321 section 4.1.2, qtextSMTP: no tab"],
    ['"a\u00A0b"@example.com', "WHITE_SPACE", "only the space, so that it can be seen and typed"],
    [`"${"a".repeat(63)}"@example.com`, "LOCAL_PART_TOO_LONG", "the 64 bytes include the quotes"],
    ['a."b"@example.com', "INVALID_LOCAL_PART", "RFC 5322 section 4.4: obs-local-part is obsolete"],
  ]);
});

describe("letters outside ASCII in the local part", () => {
  accepts([
    ["josé@example.com", "josé@example.com", "RFC 6531 section 3.3"],
    ["jose\u0301@example.com", "jos\u00E9@example.com", "RFC 6532 section 3.1: NFC"],
    ["JOSÉ@example.com", "josé@example.com", "Unicode default lower case"],
    ["JOSE\u0301@example.com", "jos\u00E9@example.com", "RFC 6532 section 3.1: NFC"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v", "RFC 6530 section 4.2"],
    ["ИВАН@почта.рф", "иван@xn--80a1acny.xn--p1ai", "Unicode default lower case"],
    ["ΝΙΚΟΣ@example.gr", "νικος@example.gr", "Unicode SpecialCasing: final sigma"],
    ["ΝΙΚΟΣ+ΤΑΓ@example.gr", "νικος@example.gr", "Unicode SpecialCasing: final sigma, before the suffix"],
    ["ΣΑΣΑ.ΣΑΣ@example.gr", "σασα.σας@example.gr", "Unicode SpecialCasing: final sigma"],
    [
      "İstanbul@example.com",
      "i\u0307stanbul@example.com",
      "Unicode SpecialCasing: İ has two code points in lower case",
    ],
    ["ISPARTA@example.com", "isparta@example.com", "no locale: I becomes i, not ı"],
    ["ıspanak@example.com", "ıspanak@example.com", "ı is lower case"],
    ["\u212Aelvin@example.com", "kelvin@example.com", "NFC makes the Kelvin sign a K"],
    ["straße@example.de", "straße@example.de", "lower case, not case folding: ss is another mailbox"],
    ["ＵＳＥＲ@example.com", "ｕｓｅｒ@example.com", "NFC, not NFKC: full-width letters are another mailbox"],
    ["می\u200Cخواهم@example.com", "می\u200Cخواهم@example.com", "a ZWNJ is a letter's business in Persian"],
    ["❤\uFE0F@example.com", "❤\uFE0F@example.com", "RFC 6531 section 3.3"],
    ["i.\u0307@gmail.com", "i\u0307@gmail.com", GMAIL_DOTS],
    ["e.\u0301@gmail.com", "\u00E9@gmail.com", `${GMAIL_DOTS}, and NFC again`],
    ["_\u0301@proton.me", "_\u0301@proton.me", "the name would start with a combining mark without its _"],
    [
      "a.\u0301@example.com",
      "a.\u0301@example.com",
      "RFC 6531 section 3.3: only the start of a name is special",
    ],
    [`${"é".repeat(32)}@example.com`, `${"é".repeat(32)}@example.com`, "64 bytes of UTF-8"],
    [`${"e\u0301".repeat(32)}@example.com`, `${"é".repeat(32)}@example.com`, "64 bytes in NFC"],
  ]);
  rejects([
    [`${"é".repeat(33)}@example.com`, "LOCAL_PART_TOO_LONG", "RFC 6531 section 3.1: bytes, not characters"],
    [`${"Ⱥ".repeat(32)}@example.com`, "LOCAL_PART_TOO_LONG", "ⱥ has three bytes where Ⱥ has two"],
    ["a\u200Bb@example.com", "INVISIBLE_CHARACTER", "Default_Ignorable_Code_Point: zero width space"],
    ["a\u2060b@example.com", "INVISIBLE_CHARACTER", "Default_Ignorable_Code_Point: word joiner"],
    ["a\u00ADb@example.com", "INVISIBLE_CHARACTER", "Default_Ignorable_Code_Point: soft hyphen"],
    ['"a \u3164"@example.com', "INVISIBLE_CHARACTER", "Default_Ignorable_Code_Point: Hangul filler"],
    ["a\uFDD0b@example.com", "INVISIBLE_CHARACTER", "Noncharacter_Code_Point: the first"],
    ["a\uFDEFb@example.com", "INVISIBLE_CHARACTER", "Noncharacter_Code_Point"],
    ["a\u{1FFFE}@example.com", "INVISIBLE_CHARACTER", "Noncharacter_Code_Point"],
    ['"a \u{10FFFF}"@example.com', "INVISIBLE_CHARACTER", "Noncharacter_Code_Point: the last"],
    ["a\uE000b@example.com", "INVISIBLE_CHARACTER", "Private_Use: the first"],
    ["\u{10FFFD}@example.com", "INVISIBLE_CHARACTER", "Private_Use: the last"],
    ["\u0301a@example.com", "INVISIBLE_CHARACTER", "Mark: it combines with the text before the address"],
    ["\u0301@gmail.com", "INVISIBLE_CHARACTER", "Mark: nothing to combine with"],
    ["\u20DDa@example.com", "INVISIBLE_CHARACTER", "Mark, enclosing"],
    ['"\u0301 a"@example.com', "INVISIBLE_CHARACTER", "Mark: it combines with the quotation mark"],
    ["a\u202Eb@example.com", "CONTROL_CHARACTER", "Bidi_Control: right-to-left override"],
    ["user@exa\u200Fmple.com", "CONTROL_CHARACTER", "Bidi_Control: right-to-left mark"],
  ]);
});

describe("internationalized domains", () => {
  accepts([
    ["user@münchen.de", "user@xn--mnchen-3ya.de", UTS46_MAP],
    ["user@MÜNCHEN.DE", "user@xn--mnchen-3ya.de", UTS46_MAP],
    ["user@mu\u0308nchen.de", "user@xn--mnchen-3ya.de", "UTS #46 section 4, step 2 (normalize)"],
    ["user@xn--mnchen-3ya.de", "user@xn--mnchen-3ya.de", "UTS #46 section 4, step 4 (convert)"],
    ["user@XN--MNCHEN-3YA.de", "user@xn--mnchen-3ya.de", UTS46_MAP],
    ["user@faß.de", "user@xn--fa-hia.de", "UTS #46 section 4: non-transitional"],
    ["user@σας.gr", "user@xn--mxa8ab.gr", "UTS #46 section 4: non-transitional, final sigma"],
    ["user@ｅｘａｍｐｌｅ。ｃｏｍ", "user@example.com", UTS46_MAP],
    ["user@example\u3002com", "user@example.com", `${UTS46_MAP}: ideographic full stop`],
    ["user@example\uFF0Ecom", "user@example.com", `${UTS46_MAP}: full-width full stop`],
    ["user@example\uFF61com", "user@example.com", `${UTS46_MAP}: half-width ideographic full stop`],
    ["user@exam\u00ADple.com", "user@example.com", `${UTS46_MAP}: a soft hyphen is ignored`],
    ["user@ＧＭＡＩＬ.com", "user@gmail.com", UTS46_MAP],
    ["a.b@ｇmail。com", "ab@gmail.com", `${UTS46_MAP}, then ${GMAIL_DOTS}`],
    ["user@日本語。ＪＰ", "user@xn--wgv71a119e.jp", UTS46_MAP],
    ["user@نامه\u200Cای.com", "user@xn--mgba3gch31f060k.com", "RFC 5892 appendix A.1: ZWNJ in context"],
    ["user@l·l.cat", "user@xn--ll-0ea.cat", "RFC 5892 appendix A.3: between two l"],
    ["user@ア・ア.jp", "user@xn--ccka0y.jp", "RFC 5892 appendix A.7"],
    ["user@〇一.jp", "user@xn--w6j351g.jp", "RFC 5892 section 2.6: an exception"],
    ["user@مثال.إختبار", "user@xn--mgbh0fb.xn--kgbechtv", "RFC 5893: a bidi domain"],
  ]);
  rejects([
    ...[..."«»„“—–’、】•→☃💩❤€©※〒♥ↀ〡〻𝄞ـ"].map(
      (character): Rejected => [`user@a${character}.com`, "INVALID_DOMAIN", RFC5892],
    ),
    ["user@xn--ls8h.la", "INVALID_DOMAIN", `${RFC5892}: the A-label of an emoji`],
    ["user@👨\u200D👩.ws", "INVALID_DOMAIN", `${RFC5892}: an emoji of two`],
    ["user@a·b.com", "INVALID_DOMAIN", "RFC 5892 appendix A.3: not between two l"],
    ["user@a・b.jp", "INVALID_DOMAIN", "RFC 5892 appendix A.7: a katakana middle dot needs Japanese"],
    ["user@xn--a.com", "INVALID_DOMAIN", "UTS #46 section 4, step 4: A-label without non-ASCII"],
    ["user@xn--.com", "INVALID_DOMAIN", "UTS #46 section 4, step 4"],
    ["user@xn--99999999999.com", "INVALID_DOMAIN", "RFC 3492: overflow"],
    ["user@xn--MÜnchen.de", "INVALID_DOMAIN", "UTS #46 section 4, step 4"],
    ["user@a\u200Cb.com", "INVALID_DOMAIN", "RFC 5892 appendix A.1: ZWNJ out of context"],
    ["user@0à.א", "INVALID_DOMAIN", "RFC 5893 section 2: bidi rule"],
    ["user@\u0301a.com", "INVALID_DOMAIN", `${UTS46_VALIDITY}: a leading combining mark`],
    ["user@-ü.com", "INVALID_DOMAIN", "RFC 5891 section 4.2.3.1: hyphens"],
    ["user@xn----eha.com", "INVALID_DOMAIN", "RFC 5891 section 4.2.3.1: the same as -ü"],
    ["user@a＠b.com", "INVALID_DOMAIN", `${UTS46_MAP}: it is an @, which STD3 has not`],
    ["user@a／b.com", "INVALID_DOMAIN", `${UTS46_MAP}: it is a /, which STD3 has not`],
    ["user@①.①", "NUMERIC_TOP_LEVEL_DOMAIN", `${UTS46_MAP}: it is 1.1`],
    [`user@${"ü".repeat(60)}.de`, "LABEL_TOO_LONG", "RFC 5890 section 2.3.2.1: 63 bytes as an A-label"],
    [`user@${"例.".repeat(40)}com`, "DOMAIN_TOO_LONG", "RFC 1035 section 2.3.4, in A-labels"],
    [`${A64}@${"例.".repeat(26)}com`, "EMAIL_TOO_LONG", "RFC 5321 section 4.5.3.1.3, in A-labels"],
  ]);
});

describe("Gmail", () => {
  accepts([
    ["john.smith@gmail.com", "johnsmith@gmail.com", GMAIL_DOTS],
    ["J.O.H.N@Gmail.com", "john@gmail.com", GMAIL_DOTS],
    ["john.smith@googlemail.com", "johnsmith@gmail.com", GOOGLEMAIL],
    ["J.Smith+spam@GoogleMail.com", "jsmith@gmail.com", GOOGLEMAIL],
    ["john-smith_x@gmail.com", "john-smith_x@gmail.com", GMAIL_DOTS],
    ["john.smith@mail.gmail.com", "john.smith@mail.gmail.com", "another domain"],
    ["john.smith@google.com", "john.smith@google.com", `${GMAIL_DOTS}: dots count at organizations`],
  ]);
  rejects([
    ["a..b@gmail.com", "MISPLACED_DOT", SMTP_LOCAL],
    [".a@gmail.com", "MISPLACED_DOT", SMTP_LOCAL],
    ["a.@gmail.com", "MISPLACED_DOT", SMTP_LOCAL],
  ]);
});

describe("Fastmail", () => {
  accepts([
    ["shop@user.fastmail.com", "user@fastmail.com", FASTMAIL],
    ["Shop+x@User.FastMail.fm", "user@fastmail.fm", FASTMAIL],
    ["alpha@example.sent.com", "example@sent.com", FASTMAIL],
    ["shop@user.fastmail.co.uk", "user@fastmail.co.uk", FASTMAIL],
    ["user+shop@fastmail.com", "user@fastmail.com", FASTMAIL],
    ["first.last@fastmail.com", "first.last@fastmail.com", "dots count"],
    ["user@fastmail.fm", "user@fastmail.fm", "an address at another of its domains can be someone else's"],
    ["shop@first-last.fastmail.com", "shop@first-last.fastmail.com", FASTMAIL_HYPHEN],
    ["shop@münchen.fastmail.com", "shop@xn--mnchen-3ya.fastmail.com", FASTMAIL_HYPHEN],
    ["shop@a.user.fastmail.com", "shop@a.user.fastmail.com", "one label is the user, two are not"],
    ["shop@user.fastmail.com.example.com", "shop@user.fastmail.com.example.com", "another domain"],
    ["shop@user.notfastmail.com", "shop@user.notfastmail.com", "another domain"],
  ]);
});

describe("Proton Mail", () => {
  accepts([
    ["alice.jones@proton.me", "alicejones@proton.me", PROTON_CHARACTERS],
    ["Alice_Jones@protonmail.com", "alicejones@protonmail.com", PROTON_CHARACTERS],
    ["alice-jones+x@pm.me", "alicejones@pm.me", PROTON_DOMAINS],
    ["a.l-i_c.e@protonmail.ch", "alice@protonmail.ch", PROTON_CHARACTERS],
    ["-_-@proton.me", "-_-@proton.me", "nothing would be left"],
    ["-_-+x@proton.me", "-_-@proton.me", "nothing would be left"],
  ]);
});

describe("Yandex Mail", () => {
  accepts([
    ["ivan@yandex.ru", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@yandex.com", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@ya.ru", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@yandex.by", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@yandex.kz", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@yandex.ua", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["ivan@yandex.com.tr", "ivan@yandex.ru", YANDEX_DOMAINS],
    ["john.2009@yandex.ru", "john.2009@yandex.ru", YANDEX_HYPHEN],
    ["john-2009@yandex.ru", "john.2009@yandex.ru", YANDEX_HYPHEN],
    ["John-2009+x-y@ya.ru", "john.2009@yandex.ru", YANDEX_HYPHEN],
    ["a--b@yandex.ru", "a--b@yandex.ru", "with dots it would be no Dot-string"],
    ["-a@yandex.ru", "-a@yandex.ru", "with dots it would be no Dot-string"],
    ["a-.+x@yandex.ru", "a-.+x@yandex.ru", "neither `a-.` nor `a..` is a Dot-string"],
    ["john_2009@yandex.ru", "john_2009@yandex.ru", "only dots and hyphens are the same"],
  ]);
});

describe("iCloud Mail", () => {
  accepts([
    ["steve@icloud.com", "steve@icloud.com", ICLOUD],
    ["steve@me.com", "steve@icloud.com", ICLOUD],
    ["Steve.J+x@mac.com", "steve.j@icloud.com", ICLOUD],
  ]);
});

describe("providers with only the suffix", () => {
  accepts([
    ["First.Last+x@outlook.com", "first.last@outlook.com", OUTLOOK],
    ["first.last@hotmail.com", "first.last@hotmail.com", OUTLOOK],
    ["first.last@live.com", "first.last@live.com", OUTLOOK],
    ["first.last@msn.com", "first.last@msn.com", OUTLOOK],
    ["name-x@yahoo.com", "name-x@yahoo.com", YAHOO],
    ["first.last@ymail.com", "first.last@ymail.com", YAHOO],
    ["first.last@aol.com", "first.last@aol.com", "AOL publishes no such rule"],
    ["first-last@gmx.de", "first-last@gmx.de", "GMX publishes no such rule"],
    ["first.last@mail.ru", "first.last@mail.ru", "Mail.ru publishes no such rule"],
    ["first.last@tuta.com", "first.last@tuta.com", "Tuta publishes no such rule"],
  ]);
});

describe("invalid addresses", () => {
  rejects([
    ["", "REQUIRED", "the field is required"],
    [" \t\r\n", "REQUIRED", "the field is required"],
    ["\u2028\u3000", "REQUIRED", "the field is required"],
    ["user", "AT_SIGN_MISSING", "RFC 5321 section 4.1.2, Mailbox"],
    ["user.example.com", "AT_SIGN_MISSING", "RFC 5321 section 4.1.2, Mailbox"],
    ["@example.com", "LOCAL_PART_MISSING", SMTP_LOCAL],
    ["@", "LOCAL_PART_MISSING", SMTP_LOCAL],
    ["user@", "DOMAIN_MISSING", SMTP_DOMAIN],
    ["a@b@example.com", "INVALID_LOCAL_PART", SMTP_LOCAL],
    ["user@@example.com", "INVALID_LOCAL_PART", SMTP_LOCAL],
    [".user@example.com", "MISPLACED_DOT", SMTP_LOCAL],
    ["user.@example.com", "MISPLACED_DOT", SMTP_LOCAL],
    ["us..er@example.com", "MISPLACED_DOT", SMTP_LOCAL],
    [".@example.com", "MISPLACED_DOT", SMTP_LOCAL],
    ["us er@example.com", "WHITE_SPACE", SMTP_LOCAL],
    ["user @example.com", "WHITE_SPACE", "RFC 5321 has no CFWS"],
    ["user@ example.com", "WHITE_SPACE", "RFC 5321 has no CFWS"],
    ["user@exam\u3000ple.com", "WHITE_SPACE", SMTP_DOMAIN],
    ["us\u00A0er@example.com", "WHITE_SPACE", "a no-break space is no letter"],
    [
      "a@b.example;c@d.example",
      "SEVERAL_ADDRESSES",
      "RFC 5322 section 4.4: obs-addr-list, as Outlook writes it",
    ],
    ["a@b.example, c@d.example", "SEVERAL_ADDRESSES", "RFC 5322 section 3.4, address-list"],
    ["a@b.example c@d.example", "SEVERAL_ADDRESSES", "a column or a line of addresses"],
    ["us,er@example.com", "INVALID_LOCAL_PART", "RFC 5322 section 3.2.3, specials"],
    ["mailto:user@example.com", "INVALID_LOCAL_PART", "RFC 5322 section 3.2.3, specials"],
    ["<user@example.com>", "DISPLAY_NAME_NOT_ALLOWED", "RFC 5322 section 3.4: angle-addr is no addr-spec"],
    [
      "User <user@example.com>",
      "DISPLAY_NAME_NOT_ALLOWED",
      "RFC 5322 section 3.4: name-addr is no addr-spec",
    ],
    [
      "Jane Q. User<user@example.com> ",
      "DISPLAY_NAME_NOT_ALLOWED",
      "RFC 5322 section 3.4: name-addr is no addr-spec",
    ],
    ['"User, J." <user@example.com>', "DISPLAY_NAME_NOT_ALLOWED", "RFC 5322 section 3.2.5: a quoted phrase"],
    ["User <user@example.com> (home)", "DISPLAY_NAME_NOT_ALLOWED", "RFC 5322 section 3.4, with a comment"],
    ['User <"j. user"@example.com>', "DISPLAY_NAME_NOT_ALLOWED", "RFC 5322 section 3.4: a quoted local part"],
    ["<user", "AT_SIGN_MISSING", "no address in angle brackets"],
    ["<user@example.com", "INVALID_LOCAL_PART", "RFC 5322 section 3.2.3, specials"],
    ["user@example.com>", "INVALID_DOMAIN", SMTP_DOMAIN],
    ["user\u037Ex@example.com", "INVALID_LOCAL_PART", "NFC makes the Greek question mark a semicolon"],
    ["user[x]@example.com", "INVALID_LOCAL_PART", "RFC 5322 section 3.2.3, specials"],
    ["us\\er@example.com", "INVALID_LOCAL_PART", "RFC 5322 section 3.2.3, specials"],
    ["us\u0000er@example.com", "CONTROL_CHARACTER", "RFC 5321 section 4.1.2: NUL"],
    ["us\ner@example.com", "CONTROL_CHARACTER", "RFC 5321 section 4.1.2: no folding"],
    ["user\r\nRCPT TO:<x@example.com>", "CONTROL_CHARACTER", "RFC 5321 section 2.3.8: a second command"],
    ["us\u007Fer@example.com", "CONTROL_CHARACTER", "RFC 5321 section 4.1.2: DEL"],
    ["us\u0085er@example.com", "CONTROL_CHARACTER", "C1: next line"],
    ["us\u2028er@example.com", "CONTROL_CHARACTER", "line separator"],
    ["user@exam\u2029ple.com", "CONTROL_CHARACTER", "paragraph separator"],
    ["us\uD800er@example.com", "UNPAIRED_SURROGATE", "RFC 3629 section 3: no UTF-8 for it"],
    ["user@exa\uDC00mple.com", "UNPAIRED_SURROGATE", "RFC 3629 section 3: no UTF-8 for it"],
    ["(comment)user@example.com", "COMMENT_NOT_ALLOWED", "RFC 5322 section 3.2.2; RFC 5321 has none"],
    ["user(comment)@example.com", "COMMENT_NOT_ALLOWED", "RFC 5322 section 3.2.2; RFC 5321 has none"],
    ["user@(comment)example.com", "COMMENT_NOT_ALLOWED", "RFC 5322 section 3.2.2; RFC 5321 has none"],
    ["user@example.com(comment)", "COMMENT_NOT_ALLOWED", "RFC 5322 section 3.2.2; RFC 5321 has none"],
    ["user@example.com (a@b)", "COMMENT_NOT_ALLOWED", "RFC 5322 section 3.2.2; RFC 5321 has none"],
    [`${A64}a@example.com`, "LOCAL_PART_TOO_LONG", "RFC 5321 section 4.5.3.1.1: 65 bytes"],
    [`user+${A64}@example.com`, "LOCAL_PART_TOO_LONG", "the suffix counts: no host takes it"],
    [`${A64}@${A63}.${A63}.${"a".repeat(58)}.com`, "EMAIL_TOO_LONG", "RFC 5321 section 4.5.3.1.3: 255 bytes"],
    [`${"a".repeat(100_000)}@example.com`, "EMAIL_TOO_LONG", "RFC 5321 section 4.5.3.1.3"],
    ["@".repeat(60_000), "EMAIL_TOO_LONG", "RFC 5321 section 4.5.3.1.3"],
  ]);
});

describe("invalid domains", () => {
  rejects([
    ["user@localhost", "DOMAIN_WITHOUT_DOT", "RFC 5321 section 2.3.5: fully qualified"],
    ["user@com", "DOMAIN_WITHOUT_DOT", "RFC 7085: dotless domains get no mail"],
    ["user@münchen", "DOMAIN_WITHOUT_DOT", "RFC 5321 section 2.3.5"],
    ["user@[192.0.2.1]", "IP_LITERAL_NOT_ALLOWED", "RFC 5321 section 4.1.3"],
    ["user@[IPv6:2001:db8::1]", "IP_LITERAL_NOT_ALLOWED", "RFC 5321 section 4.1.3"],
    ["user@192.0.2.1", "NUMERIC_TOP_LEVEL_DOMAIN", "RFC 3696 section 2: a top-level domain is no number"],
    ["user@0x7f.1", "NUMERIC_TOP_LEVEL_DOMAIN", "URL Standard, ends in a number"],
    ["user@127.0.0.0x1", "NUMERIC_TOP_LEVEL_DOMAIN", "URL Standard, ends in a number"],
    ["user@example.0x", "NUMERIC_TOP_LEVEL_DOMAIN", "URL Standard, ends in a number"],
    ["user@example.123", "NUMERIC_TOP_LEVEL_DOMAIN", "RFC 3696 section 2"],
    ["user@example..com", "INVALID_DOMAIN", SMTP_DOMAIN],
    ["user@.example.com", "INVALID_DOMAIN", SMTP_DOMAIN],
    ["user@example.com.", "INVALID_DOMAIN", `${SMTP_DOMAIN}: no final dot`],
    ["user@example.com。", "INVALID_DOMAIN", `${SMTP_DOMAIN}: no final dot`],
    ["user@.", "INVALID_DOMAIN", SMTP_DOMAIN],
    ["user@-example.com", "INVALID_DOMAIN", "RFC 5321 section 4.1.2, sub-domain"],
    ["user@example-.com", "INVALID_DOMAIN", "RFC 5321 section 4.1.2, Ldh-str"],
    ["user@exam_ple.com", "INVALID_DOMAIN", "UTS #46 section 4, UseSTD3ASCIIRules"],
    ["user@ex%61mple.com", "INVALID_DOMAIN", "no percent-encoding in addresses"],
    ["user@example.com/x", "INVALID_DOMAIN", "UTS #46 section 4, UseSTD3ASCIIRules"],
    ["user@example.com:25", "INVALID_DOMAIN", "UTS #46 section 4, UseSTD3ASCIIRules"],
    ["user@example.com>", "INVALID_DOMAIN", "UTS #46 section 4, UseSTD3ASCIIRules"],
    ["user@exam+ple.com", "INVALID_DOMAIN", "UTS #46 section 4, UseSTD3ASCIIRules"],
    [`user@${"a".repeat(64)}.com`, "LABEL_TOO_LONG", "RFC 1035 section 2.3.4"],
  ]);
});

function accepts(cases: readonly Accepted[]): void {
  it.each(cases)("%j becomes %j (%s)", (input, email) => {
    expect(sanitizeEmail(input)).toEqual({ ok: true, value: email });
    expect(sanitizeEmail(email)).toEqual({ ok: true, value: email });
  });
}

function rejects(cases: readonly Rejected[]): void {
  it.each(cases)("rejects %j: %s (%s)", (input, reason) => {
    expect(sanitizeEmail(input)).toEqual({
      ok: false,
      failure: { reason, description: expect.stringMatching(/^[a-z].{20,}[^.]$/) },
    });
  });
}
