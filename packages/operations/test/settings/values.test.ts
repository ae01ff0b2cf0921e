import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  choice,
  commaList,
  durationBetween,
  formatDuration,
  formatRate,
  joinWords,
  parseDuration,
  parseRate,
  parseWholeNumber,
  wholeNumber,
} from "../../src/settings/values.js";

describe("a whole number", () => {
  test.each([
    ["0", 0],
    ["7", 7],
    ["65535", 65_535],
    ["999999999999999", 999_999_999_999_999],
  ])("accepts %s", (text, number) => {
    expect(parseWholeNumber(text)).toBe(number);
  });

  test.each([
    ...["", " ", "-1", "+1", "-0", "00", "01", "1.0", "1e3", "0x10", "1_000", "1 ", " 1", "1n"],
    ...["٣", "9999999999999999"],
  ])("rejects %j", (text) => {
    expect(parseWholeNumber(text)).toBeUndefined();
  });

  test("is limited to its bounds, inclusively", () => {
    const { allowed, parse } = wholeNumber(4, 6);
    expect(allowed).toBe("a number from 4 to 6");
    expect(["3", "4", "5", "6", "7", "x"].map(parse)).toEqual([undefined, 4, 5, 6, undefined, undefined]);
  });
});

test("a choice accepts exactly its words", () => {
  const { allowed, parse } = choice("WORD", ["none", "failed", "all"]);
  expect(allowed).toBe("none, failed or all");
  expect(["all", "ALL", "all ", "", "constructor"].map(parse)).toEqual(["all", ...Array(4).fill(undefined)]);
});

describe("a list", () => {
  const { placeholder, parse } = commaList("NUMBER", "numbers", parseWholeNumber);

  test.each([
    ["1", [1]],
    ["1,2,1", [1, 2, 1]],
    [" 1 ,\t2 ", [1, 2]],
    ["0", [0]],
  ])("parses %j", (text, items) => {
    expect(parse(text)).toEqual(items);
    expect(Object.isFrozen(parse(text))).toBe(true);
  });

  test.each(["", ",", "1,", ",1", "1,,2", "1;2", "1,x"])("rejects %j", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  test("has a placeholder that shows the comma", () => {
    expect(placeholder).toBe("NUMBER[,…]");
  });
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j is formatted as %j", (words, text) => {
  expect(joinWords(words, "and")).toBe(text);
});

describe("a duration", () => {
  test.each([
    ["0s", 0],
    ["0ms", 0],
    ["500ms", 500],
    ["10s", 10_000],
    ["65s", 65_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
    ["9007199254740ms", 9_007_199_254_740],
  ])("%s is %i ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    ...["", "10", "s", "10 s", " 10s", "10s ", "1.5s", "-1s", "+1s", "010s", "10S", "10sec"],
    ...["1h30m", "1w"],
  ])("rejects %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("is rejected if its milliseconds are not a safe integer", () => {
    expect(parseDuration("104249991d")).toBe(104_249_991 * 86_400_000);
    expect(parseDuration("104249992d")).toBeUndefined();
  });

  test.each([
    [0, "0s"],
    [1, "1ms"],
    [1500, "1500ms"],
    [90_000, "90s"],
    [120_000, "2m"],
    [86_400_000, "1d"],
  ])("%i ms are formatted as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test("is parsed as it is formatted", () => {
    // Numbers have at most 15 digits, in any unit.
    const numbers = fc.nat(100_000_000);
    const units = fc.constantFrom(1, 1000, 60_000, 3_600_000, 86_400_000);
    fc.assert(
      fc.property(numbers, units, (number, unit) => {
        expect(parseDuration(formatDuration(number * unit))).toBe(number * unit);
      }),
    );
  });
});

describe("a duration within bounds", () => {
  const { allowed, parse } = durationBetween(100, 600_000);

  test("has an example within the bounds, with a unit", () => {
    expect(durationBetween(100, 600_000).example).toBe("10s");
    expect(durationBetween(0, 5_000).example).toBe("5s");
    expect(durationBetween(60_000, 600_000).example).toBe("1m");
  });

  test("lists them in the allowed values", () => {
    expect(allowed).toBe("a duration from 100ms to 10m");
  });

  test.each([
    ["99ms", undefined],
    ["100ms", 100],
    ["600s", 600_000],
    ["600001ms", undefined],
    ["1h", undefined],
    ["x", undefined],
  ])("%s is parsed as %j", (text, duration) => {
    expect(parse(text)).toBe(duration);
  });
});

describe("a rate", () => {
  test.each([
    ["100/1s", 100, 1],
    ["6000/1m", 6000, 60],
    ["50000/1h", 50_000, 3600],
    ["1/1d", 1, 86_400],
    ["1/24h", 1, 86_400],
    ["7/2000ms", 7, 2],
    ["10000000000/1d", 10_000_000_000, 86_400],
  ])("%s is a limit of %i in %i seconds", (text, limit, window) => {
    expect(parseRate(text)).toEqual({ limit, window });
    expect(Object.isFrozen(parseRate(text))).toBe(true);
  });

  test.each([
    ...["", "/", "100", "100/", "/1s", "100/s", "100/1", "0/1s", "-1/1s", "1.5/1s", "1e3/1s"],
    ...["010/1s", "100 / 1s", "100/0s", "100/500ms", "100/1500ms", "100/2d", "100/86401s"],
    ...["10000000001/1d", "100/1s/1s", "100/1s,6000/1m"],
  ])("rejects %j", (text) => {
    expect(parseRate(text)).toBeUndefined();
  });

  test("is parsed as it is formatted", () => {
    const rates = fc.record({
      limit: fc.integer({ min: 1, max: 10_000_000_000 }),
      window: fc.integer({ min: 1, max: 86_400 }),
    });
    fc.assert(
      fc.property(rates, (rate) => {
        expect(parseRate(formatRate(rate))).toEqual(rate);
      }),
    );
  });
});
