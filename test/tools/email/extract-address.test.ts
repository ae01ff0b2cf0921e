import { describe, expect, it } from "vitest";
import { extractAddress } from "../../../src/tools/email/extract-address.js";

const NAME = "A display name and angle brackets around an address are not a part of it.";
const AFTER = "A link and a separator after an address are not a part of it.";
const LINK = "The address is that of a mailto: link.";

describe("extractAddress", () => {
  it.each([
    ["jane@example.com", "jane@example.com", ""],
    [" not an address ", " not an address ", ""],
    ["Jane Doe <jane@example.com>", "jane@example.com", NAME],
    ['"Doe, <Jane>" <jane@example.com> ', "jane@example.com", NAME],
    ["Zoë 🐢<a.b@例え.jp>", "a.b@例え.jp", NAME],
    ["<jane@example.com>", "jane@example.com", "Angle brackets around an address are not a part of it."],
    ["mailto:jane@example.com", "jane@example.com", LINK],
    [" MAILTO:a%2Bb@example.com", "a+b@example.com", LINK],
    ["mailto:%22not%40me%22@example.org", '"not@me"@example.org', LINK],
    [
      "mailto:jane@example.com?subject=a,b&cc=x@y.example",
      "jane@example.com",
      `${LINK} Its headers, such as a subject, are ignored.`,
    ],
    ["mailto:", "", LINK],
    ["mailto:a@b.example?to=", "a@b.example", `${LINK} Its headers, such as a subject, are ignored.`],
    ["<mailto:a@b.example>", "a@b.example", LINK],
    ["Jane < MAILTO:a@b.example>", "a@b.example", LINK],
    // As Outlook writes a recipient, and a link in plain text.
    ["Jane <a@b.example>;", "a@b.example", NAME],
    ["Doe, Jane <a@b.example>, ", "a@b.example", NAME],
    ["Jane <a@b.example<mailto:a@b.example>>", "a@b.example", NAME],
    ["a@b.example<mailto:A@b.example?subject=x>", "a@b.example", AFTER],
    ["a@b.example; ", "a@b.example", AFTER],
    // Left as they are, so that the error of an address explains them.
    ['"<a@b.example>"', '"<a@b.example>"', ""],
    ["a@b.example (Jane)", "a@b.example (Jane)", ""],
  ])("finds the address in %j", (text, address, note) => {
    expect(extractAddress(text)).toEqual({ ok: true, value: { address, note } });
  });

  it.each([
    ["mailto:a@b.example,c@d.example", "SEVERAL_ADDRESSES"],
    ["mailto:a@b.example?subject=x&to=c@d.example", "SEVERAL_ADDRESSES"],
    ["a@b.example, Jane <c@d.example>", "SEVERAL_ADDRESSES"],
    ["a@b.example <mailto:c@d.example>", "SEVERAL_ADDRESSES"],
    ["mailto:%FF@b.example", "INVALID_LINK"],
    ["A <a@b.example>, B <c@d.example>", "SEVERAL_ADDRESSES"],
    [`${"a".repeat(990)} <a@b.example>`, "EMAIL_TOO_LONG"],
  ])("rejects %j", (text, reason) => {
    expect(extractAddress(text)).toMatchObject({ ok: false, failure: { reason } });
  });

  const AFTER_TO = "the mailto: link has its address after to=: give the address alone";
  const SLASHES = "a mailto: link has no // before its address";
  const AFTER_BRACKETS = "text after the angle brackets is not allowed: end with the address";
  it.each([
    ["mailto:?to=a@b.example", "INVALID_LINK", AFTER_TO],
    ["mailto:?subject=x&TO=a@b.example", "INVALID_LINK", AFTER_TO],
    ["mailto://a@b.example", "INVALID_LINK", SLASHES],
    ["<MAILTO://a@b.example>", "INVALID_LINK", SLASHES],
    ["Jane <a@b.example> at work", "COMMENT_NOT_ALLOWED", AFTER_BRACKETS],
    ["<a@b.example>; at work", "COMMENT_NOT_ALLOWED", AFTER_BRACKETS],
  ])("explains what is wrong with %j", (text, reason, description) => {
    expect(extractAddress(text)).toEqual({ ok: false, failure: { reason, description } });
  });

  it("takes time in proportion to the text", () => {
    for (const text of ['"'.repeat(1000), '\\"'.repeat(500), `${'""'.repeat(499)}<`, "<".repeat(1000)]) {
      expect(extractAddress(text)).toMatchObject({ ok: true });
    }
  });
});
