import { geoNaturalEarth1 } from "d3-geo";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatCoordinates,
  graticule,
  MAP_SCALE,
  mapEdge,
  projectPoint,
} from "../../../src/workbench/map/projection.js";
import { MAP_HEIGHT, MAP_WIDTH } from "../../../src/workbench/map/view.js";

const oracle = geoNaturalEarth1().scale(MAP_SCALE).translate([0, 0]);

test("projectPoint agrees with d3-geo", () => {
  const lon = fc.double({ min: -180, max: 180, noNaN: true });
  const lat = fc.double({ min: -90, max: 90, noNaN: true });
  fc.assert(
    fc.property(lon, lat, (lon, lat) => {
      const [x = Number.NaN, y = Number.NaN] = oracle([lon, lat]) ?? [];
      const point = projectPoint(lon, lat);
      expect(point.x).toBeCloseTo(x, 6);
      expect(point.y).toBeCloseTo(y, 6);
    }),
  );
});

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

  test("draws the equator across the whole map", () => {
    const { x } = projectPoint(180, 0);
    expect(lines(graticule())).toContain(`${-Math.round(x)} 0L${Math.round(x)} 0`);
  });

  test("draws the prime meridian as a straight line", () => {
    const points = lines(graticule()).map((line) => line.split("L").map((point) => point.split(" ")[0]));
    expect(points.filter((xs) => xs.every((x) => x === "0"))).toHaveLength(1);
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
