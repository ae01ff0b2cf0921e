import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationBetween, formatDuration, parseDuration } from "../../../src/service/config/duration.js";

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
    "",
    "10",
    "s",
    "10 s",
    " 10s",
    "10s ",
    "1.5s",
    "-1s",
    "+1s",
    "010s",
    "10S",
    "10sec",
    "1h30m",
    "1w",
  ])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("is none when its milliseconds are not exact", () => {
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
  ])("%i ms are written %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test("is read as it is written", () => {
    // No more than what is read with any unit: numbers have at most 15 digits.
    const numbers = fc.nat(100_000_000);
    const units = fc.constantFrom(1, 1000, 60_000, 3_600_000, 86_400_000);
    fc.assert(
      fc.property(numbers, units, (number, unit) => {
        expect(parseDuration(formatDuration(number * unit))).toBe(number * unit);
      }),
    );
  });

  test("of any text is undefined or whole milliseconds", () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,20}(ms|s|m|h|d)$/));
    fc.assert(
      fc.property(texts, (text) => {
        const duration = parseDuration(text) ?? 0;
        expect(Number.isSafeInteger(duration) && duration >= 0).toBe(true);
      }),
    );
  });
});

describe("a duration within bounds", () => {
  const { allowed, parse } = durationBetween(100, 600_000);

  test("has them in what is allowed", () => {
    expect(allowed).toBe("a duration from 100ms to 10m");
  });

  test.each([
    ["99ms", undefined],
    ["100ms", 100],
    ["600s", 600_000],
    ["600001ms", undefined],
    ["1h", undefined],
    ["x", undefined],
  ])("%s is read as %j", (text, duration) => {
    expect(parse(text)).toBe(duration);
  });
});
