import { describe, expect, it } from "vitest";
import { parseDomains, parseMisspellings, parseRoleNames } from "../../../src/tools/email/email-lists.js";

describe("parseDomains", () => {
  it("reads a domain per line", () => {
    const text = "# a comment\nb.example\r\n\na.b.example\nb.example\n";
    expect(parseDomains(text)).toEqual({ ok: true, value: new Set(["b.example", "a.b.example"]) });
  });

  it.each([
    ["", "is empty"],
    ["a.example\nB.example", "has a line that is not a domain in lower case: 2"],
    ["example", "has a line that is not a domain in lower case: 1"],
    ["<!DOCTYPE html>", "has a line that is not a domain in lower case: 1"],
  ])("rejects %j", (text, description) => {
    expect(parseDomains(text)).toEqual({ ok: false, failure: { reason: "BROKEN_EMAIL_LIST", description } });
  });
});

it("parseRoleNames reads a name per line", () => {
  expect(parseRoleNames("no-reply\ninfo\n")).toEqual({ ok: true, value: new Set(["no-reply", "info"]) });
  expect(parseRoleNames("a b")).toMatchObject({ failure: { reason: "BROKEN_EMAIL_LIST" } });
});

describe("parseMisspellings", () => {
  it("reads the domains that are meant", () => {
    const text = "typo\tdomain\tkind\ngmial.com\tgmail.com\tspelling\n";
    expect(parseMisspellings(text)).toEqual({ ok: true, value: new Map([["gmial.com", "gmail.com"]]) });
  });

  it.each([
    ["gmial.com\tgmail.com\tspelling", "does not begin with the header typo, domain, kind"],
    ["typo\tdomain\tkind\ngmial.com", "has a line that is not two domains: 2"],
  ])("rejects %j", (text, description) => {
    expect(parseMisspellings(text)).toMatchObject({ failure: { description } });
  });
});
