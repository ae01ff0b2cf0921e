import { expect, test } from "vitest";
import { median, percentile, slope } from "./statistics.js";

test.each([
  [[], Number.NaN],
  [[7], 7],
  [[9, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [[], 0.5, Number.NaN],
  [[7], 0.99, 7],
  [[1, 2], 0.5, 1],
  [[1, 2, 3], 0.5, 2],
  [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
])("of %j, the part %d does not exceed %d", (sorted, part, expected) => {
  expect(percentile(sorted, part)).toBe(expected);
});

test.each<[(readonly [number, number])[], number]>([
  [
    [
      [0, 5],
      [10, 5],
      [20, 5],
    ],
    0,
  ],
  [
    [
      [0, 0],
      [1, 3],
      [2, 3],
      [3, 6],
    ],
    1.8,
  ],
])("the slope of %j is %d", (points, expected) => {
  expect(slope(points)).toBeCloseTo(expected, 12);
});

test("one point has no slope", () => {
  expect(slope([[0, 1]])).toBe(Number.NaN);
});
