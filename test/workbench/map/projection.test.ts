import { describe, expect, test } from "vitest";
import {
  formatCoordinates,
  graticule,
  mapEdge,
  projectPoint,
} from "../../../src/workbench/map/projection.js";
import { MAP_HEIGHT, MAP_WIDTH } from "../../../src/workbench/map/view.js";

test("projectPoint maps 0° N, 0° E to the center", () => {
  expect(projectPoint(0, 0)).toEqual({ x: 0, y: -0 });
  expect(projectPoint(0, 45).x).toBe(0);
  expect(projectPoint(0, 45).y).toBeLessThan(0);
});

const lines = (path: string) => path.split("M").slice(1);

describe("graticule", () => {
  test("has eleven meridians and five parallels", () => {
    expect(lines(graticule())).toHaveLength(11 + 5);
  });
});

test("mapEdge fills the map except for a small margin", () => {
  const numbers = (mapEdge().match(/-?\d+/g) ?? []).map(Number);
  const xs = numbers.filter((_, index) => index % 2 === 0);
  const ys = numbers.filter((_, index) => index % 2 === 1);
  for (const [values, size] of [
    [xs, MAP_WIDTH],
    [ys, MAP_HEIGHT],
  ] as const) {
    expect(Math.max(...values)).toBeLessThanOrEqual(size / 2);
    expect(Math.max(...values)).toBeGreaterThan((size / 2) * 0.97);
    expect(Math.min(...values)).toBe(-Math.max(...values));
  }
});

test.each([
  [{ lat: 37.422, lon: -122.085 }, "37.4° N, 122.1° W"],
  [{ lat: -33.86, lon: 151.2 }, "33.9° S, 151.2° E"],
  [{ lat: 0, lon: 0 }, "0.0° N, 0.0° E"],
])("formatCoordinates writes %j as %s", (point, text) => {
  expect(formatCoordinates(point)).toBe(text);
});
