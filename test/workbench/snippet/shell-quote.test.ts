import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellQuote } from "../../../src/workbench/snippet/shell-quote.js";

test.each([
  ["", "''"],
  ["plain", "'plain'"],
  ["it's", "'it'\\''s'"],
  ["'", "''\\'''"],
  ['"$HOME" `id` $(id) \\ !! #', "'\"$HOME\" `id` $(id) \\ !! #'"],
])("%j is written %s", (text, quoted) => {
  expect(shellQuote(text)).toBe(quoted);
});

test("a shell reads any text as it was, as one word", () => {
  // What no argument can have: a zero octet, and half a character.
  const text = fc.string({ unit: "binary" }).map((each) => each.replaceAll(/[\0\p{Cs}]/gu, ""));
  const awkward = fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", "!", "-", "é", "*"),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(text, awkward), { minLength: 1, maxLength: 100 }), (texts) => {
      // A dot ends each, so that line breaks at an end are seen.
      const words = texts.map((each) => shellQuote(`${each}.`)).join(" ");
      const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" });
      expect(printed.split("\0").slice(0, -1)).toEqual(texts.map((each) => `${each}.`));
    }),
    { numRuns: 30 },
  );
});
