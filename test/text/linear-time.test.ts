import { expectLinear } from "connect-transcoding-testing/linear.js";
import { test } from "vitest";
import { createCsvReader } from "../../src/cli/input/csv-records.js";
import { parseCsv, uniqueNames } from "../../src/text/csv.js";
import { findAddresses } from "../../src/text/find-address.js";
import { findEmails } from "../../src/text/find-email.js";
import { foldText } from "../../src/text/fold-text.js";
import { readAddress } from "../../src/text/ip-address.js";
import { decodeBase32 } from "../../src/text/otp/base32.js";
import { splitKeyUri } from "../../src/text/otp/key-uri.js";
import { kindOfInput } from "../../src/text/recognize-input.js";
import { extractAddress } from "../../src/tools/email/extract-address.js";
import { normalizeDomain } from "../../src/tools/email/normalize-domain.js";
import { sanitizeEmail } from "../../src/tools/email/sanitize-email.js";

function readCsv(text: string): () => unknown {
  const bytes = Buffer.from(text);
  return () => createCsvReader(100_000_000).push(bytes);
}

test.each<[string, number, (size: number) => () => unknown]>([
  ["at signs", 2_000, (size) => () => kindOfInput(`${"@".repeat(size)} x`)],
  ["groups of letters", 2_000, (size) => () => kindOfInput(`${"abcd ".repeat(size)}2!`)],
  ["equals signs", 5_000, (size) => () => kindOfInput(`a${"=".repeat(size)}!`)],
  ["angle brackets", 2_000, (size) => () => kindOfInput(`${"<a@".repeat(size)}>`)],
  ["colons", 2_000, (size) => () => kindOfInput(`a:${":".repeat(size)}!`)],
  ["names of columns that are equal", 500, (size) => () => uniqueNames(Array(size).fill("a"))],
  ["quotation marks in CSV", 2_000, (size) => () => parseCsv('""",'.repeat(size), ",")],
  ["lines of CSV", 2_000, (size) => readCsv("a,b\n".repeat(size))],
  ["lines of an open value in CSV", 1_000, (size) => readCsv(`"a\n${'""\n'.repeat(size)}`)],
  ["separators", 2_000, (size) => () => foldText(`a${" -".repeat(size)}é`)],
  ["padding of base32", 5_000, (size) => () => decodeBase32(`A${"=".repeat(size)}A`)],
  ["addresses in a line", 2_000, (size) => () => findAddresses("1.2.3.4 ::a ".repeat(size), "all")],
  ["dots and colons in a line", 5_000, (size) => () => findAddresses("1.1:".repeat(size), "client")],
  ["spaces before an address", 5_000, (size) => () => findAddresses(`a${" ".repeat(size)}1.2.3.4`, "client")],
  ["e-mail addresses in a line", 500, (size) => () => findEmails("a@a-".repeat(size))],
  ["an address", 5_000, (size) => () => readAddress("1:".repeat(size))],
  [
    "a key URI",
    2_000,
    (size) => () => splitKeyUri(`otpauth://totp/${"a:".repeat(size)}?${"&a=b".repeat(size)}`),
  ],
  // Longer texts are rejected at once.
  ["quotation marks of a name", 125, (size) => () => repeat(() => extractAddress('"\\"'.repeat(size / 3)))],
  ["labels of a domain", 30, (size) => () => repeat(() => normalizeDomain("a.".repeat(size / 2)))],
  [
    "Arabic labels of a domain",
    30,
    (size) => () => repeat(() => normalizeDomain(`${"ا.".repeat(size / 8)}de`)),
  ],
  [
    "A-labels of a domain",
    30,
    (size) => () => repeat(() => normalizeDomain(`${"xn--mgb.".repeat(size / 8)}de`)),
  ],
  [
    "quotation marks of a local part",
    30,
    (size) => () => repeat(() => sanitizeEmail(`"${'\\"'.repeat(size / 8)}"@${"a.".repeat(size / 4)}de`)),
  ],
])("%s takes linear time", (_, size, prepare) => {
  expectLinear(prepare, size);
});

function repeat(work: () => unknown): void {
  for (let count = 0; count < 300; count++) {
    work();
  }
}
