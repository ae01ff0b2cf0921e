import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  choice,
  joinWords,
  listOf,
  numberBetween,
  parseWholeNumber,
} from "../../../src/service/config/setting-value.js";

describe("a whole number", () => {
  test.each([
    ["0", 0],
    ["7", 7],
    ["65535", 65_535],
    ["999999999999999", 999_999_999_999_999],
  ])("%s", (text, number) => {
    expect(parseWholeNumber(text)).toBe(number);
  });

  test.each([
    "",
    " ",
    "-1",
    "+1",
    "-0",
    "00",
    "01",
    "1.0",
    "1e3",
    "0x10",
    "1_000",
    "1 ",
    " 1",
    "1n",
    "٣",
    "9999999999999999",
  ])("is not %j", (text) => {
    expect(parseWholeNumber(text)).toBeUndefined();
  });

  test("is read as it is written", () => {
    fc.assert(fc.property(fc.nat(), (number) => parseWholeNumber(String(number)) === number));
  });

  test("is within its bounds, which are allowed", () => {
    const { allowed, parse } = numberBetween(4, 6);
    expect(allowed).toBe("a number from 4 to 6");
    expect(["3", "4", "5", "6", "7", "x"].map(parse)).toEqual([undefined, 4, 5, 6, undefined, undefined]);
  });
});

test("a choice is one of its words, to the letter", () => {
  const { allowed, parse } = choice("WORD", ["none", "failed", "all"]);
  expect(allowed).toBe("none, failed or all");
  expect(["all", "ALL", "all ", "", "constructor"].map(parse)).toEqual(["all", ...Array(4).fill(undefined)]);
});

describe("a list", () => {
  const { placeholder, parse } = listOf("NUMBER", "numbers", parseWholeNumber);

  test.each([
    ["1", [1]],
    ["1,2,1", [1, 2, 1]],
    [" 1 ,\t2 ", [1, 2]],
    ["0", [0]],
  ])("%j is read", (text, items) => {
    expect(parse(text)).toEqual(items);
    expect(Object.isFrozen(parse(text))).toBe(true);
  });

  test.each(["", ",", "1,", ",1", "1,,2", "1;2", "1,x"])("%j is refused", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  test("says that it is one", () => {
    expect(placeholder).toBe("NUMBER[,…]");
  });
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j is written %j", (words, text) => {
  expect(joinWords(words, "and")).toBe(text);
});
