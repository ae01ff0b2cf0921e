import { expect, test } from "vitest";
import { boxAround, outlineRings } from "../../../src/workbench/map/outline-rings.js";

test("outlineRings adds the steps up", () => {
  expect(outlineRings("M10-20l5 0-5 7zM-1-2l-3-4 5 6z")).toEqual([
    [
      { x: 10, y: -20 },
      { x: 15, y: -20 },
      { x: 10, y: -13 },
    ],
    [
      { x: -1, y: -2 },
      { x: -4, y: -6 },
      { x: 1, y: 0 },
    ],
  ]);
  expect(outlineRings("")).toEqual([]);
});

test("boxAround has all points on or in it", () => {
  const points = [
    { x: 3, y: -1 },
    { x: -2, y: 4 },
    { x: 0, y: 9 },
  ];
  expect(boxAround(points)).toEqual({ left: -2, top: -1, right: 3, bottom: 9 });
});
