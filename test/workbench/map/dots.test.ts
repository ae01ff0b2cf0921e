import { expect, test } from "vitest";
import { dotsOf } from "../../../src/workbench/map/dots.js";

const HERE = { lat: 0, lon: 0 };

test.each([
  ["no points", [], []],
  ["equal points", [HERE, HERE], [[9, 2]]],
  [
    "points with numbers: four times the number has twice the diameter",
    [100, 400].map(withCount),
    [
      [22, 1],
      [11, 1],
    ],
  ],
  [
    "a point with a small number, which stays visible",
    [1, 1_000_000, 2].map(withCount),
    [
      [22, 1],
      [2, 2],
    ],
  ],
] as const)("dotsOf groups %s", (_, points, sizes) => {
  expect(dotsOf(points).map(({ size, path }) => [size, path.split("M").length - 1])).toEqual(sizes);
});

function withCount(count: number) {
  return { ...HERE, count };
}

test("a dot is a line without length at its place", () => {
  expect(dotsOf([HERE, { lat: 0, lon: 90 }])).toEqual([{ size: 9, path: "M0.0 0.0h0M1367.7 0.0h0" }]);
});
