import { describe, expect, it } from "vitest";
import { type EmailAddress, parseEmailAddress } from "../../../src/tools/email/email-address.js";

type Parts = Omit<EmailAddress, "trimmed" | "writtenLocalPart">;

const CASES: readonly (readonly [input: string, address: Parts])[] = [
  ["User@Example.COM", { localPart: "User", quoted: false, domain: "Example.COM" }],
  [" a.b+c@d.e ", { localPart: "a.b+c", quoted: false, domain: "d.e" }],
  ['"a b"@d.e', { localPart: "a b", quoted: true, domain: "d.e" }],
  ['"a"@d.e', { localPart: "a", quoted: true, domain: "d.e" }],
  ['"a\\"\\\\\\b"@d.e', { localPart: 'a"\\b', quoted: true, domain: "d.e" }],
  ['"x@y"@d.e', { localPart: "x@y", quoted: true, domain: "d.e" }],
  ['""@d.e', { localPart: "", quoted: true, domain: "d.e" }],
  ["e\u0301@u\u0308.e", { localPart: "\u00E9", quoted: false, domain: "\u00FC.e" }],
  ["a@not-a_domain!", { localPart: "a", quoted: false, domain: "not-a_domain!" }],
];

describe("parseEmailAddress", () => {
  it.each(CASES)("parses %j", (input, address) => {
    const trimmed = input.trim();
    const writtenLocalPart = trimmed.normalize("NFC").slice(0, -(address.domain.length + 1));
    expect(parseEmailAddress(input)).toEqual({ ok: true, value: { ...address, trimmed, writtenLocalPart } });
  });

  it("checks the length first", () => {
    const huge = `${"\u0000".repeat(255)}`;
    expect(parseEmailAddress(huge)).toMatchObject({ ok: false, failure: { reason: "EMAIL_TOO_LONG" } });
  });

  it.each([
    [
      "User <user@example.com>",
      "a display name and angle brackets are not allowed: give the bare address, such as user@example.com",
    ],
    ["a@b@d.e", "the part before the @ must not contain “@” outside quotes"],
    ["a;b@d.e", "the part before the @ must not contain “;” outside quotes"],
    ["a@b.e;c@d.e", "the text has several addresses: give one of them"],
    ["a\u200Bb@d.e", "the part before the @ must not contain the invisible character U+200B"],
    ["a\uFDEF@d.e", "the part before the @ must not contain the noncharacter U+FDEF"],
    ["a\uE000@d.e", "the part before the @ must not contain the private-use character U+E000"],
    ["\u0301a@d.e", "the part before the @ must not start with the combining mark U+0301"],
  ])("says what is wrong with %j", (input, description) => {
    expect(parseEmailAddress(input)).toMatchObject({ ok: false, failure: { description } });
  });

  it("never repeats the address in a description", () => {
    for (const input of [
      "secret name@example.com",
      "secret",
      "secret(x)@example.com",
      '"secret@example.com',
      "secret <secret@example.com>",
    ]) {
      const result = parseEmailAddress(input);
      expect(result.ok ? "accepted" : result.failure.description).not.toMatch(/secret|accepted/);
    }
  });
});
