import { describe, expect, it } from "vitest";
import { parseDomains, parseNameList } from "../../../src/tools/email/email-lists.js";

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

it("parseNameList reads a name per line", () => {
  expect(parseNameList("no-reply\ninfo\n")).toEqual({ ok: true, value: new Set(["no-reply", "info"]) });
  expect(parseNameList("a b")).toMatchObject({ failure: { reason: "BROKEN_EMAIL_LIST" } });
});
