import fc from "fast-check";
import { expect, test } from "vitest";
import { formatRate, parseRate } from "../../../src/service/config/rate.js";

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
  "",
  "/",
  "100",
  "100/",
  "/1s",
  "100/s",
  "100/1",
  "0/1s",
  "-1/1s",
  "1.5/1s",
  "1e3/1s",
  "010/1s",
  "100 / 1s",
  "100/0s",
  "100/500ms",
  "100/1500ms",
  "100/2d",
  "100/86401s",
  "10000000001/1d",
  "100/1s/1s",
  "100/1s,6000/1m",
])("%j is no rate", (text) => {
  expect(parseRate(text)).toBeUndefined();
});

test("is read as it is written", () => {
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

test("of any text is undefined or within its bounds", () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{0,12}\/\d{0,7}(ms|s|m|h|d)?$/));
  fc.assert(
    fc.property(texts, (text) => {
      const { limit, window } = parseRate(text) ?? { limit: 1, window: 1 };
      expect([limit, window].every(Number.isInteger)).toBe(true);
      expect(limit >= 1 && limit <= 10_000_000_000 && window >= 1 && window <= 86_400).toBe(true);
    }),
  );
});
