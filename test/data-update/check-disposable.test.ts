import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkDisposable } from "../../src/data-update/check-disposable.js";

const LIST = readFileSync(join(import.meta.dirname, "../../data/email/disposable-domains.txt"), "utf8");
const DATE = "Sun, 22 Nov 2026 10:00:00 GMT";
const check = (text: string, present?: string) =>
  checkDisposable(Buffer.from(text), present === undefined ? undefined : Buffer.from(present), DATE);

it("a newer list is accepted, with the date of its publisher", async () => {
  expect(await check(`${LIST}new.example\n`)).toEqual({ ok: true, value: { builtAt: new Date(DATE) } });
  expect(await check(`${LIST}new.example\n`, LIST)).toMatchObject({ ok: true, value: {} });
});

it("the present list is not replaced by itself", async () => {
  expect(await check(LIST, LIST)).toEqual({ ok: true, value: undefined });
});

const domains = LIST.trim().split("\n");

it.each([
  ["a page", "<!DOCTYPE html>", /^has a file that has a line that is not a domain/],
  [
    "another list",
    domains.filter((each) => !/mailinator|yopmail/.test(each)).join("\n"),
    /without mailinator.com, yopmail.com$/,
  ],
  ["a mailbox provider", `${LIST}gmail.com\n`, /^has a list with the mailbox provider gmail.com$/],
  [
    "half of it",
    domains
      .filter(
        (each, index) =>
          index % 2 === 0 || /^(mailinator|guerrillamail|yopmail|10minutemail|trashmail)\.com$/.test(each),
      )
      .join("\n"),
    /^has a list of 5\d{3} domains, much less than the present one with 10181$/,
  ],
])("%s is rejected", async (_, text, description) => {
  expect(await check(text)).toMatchObject({
    ok: false,
    failure: { reason: "INVALID_DOWNLOAD", description: expect.stringMatching(description) },
  });
});
