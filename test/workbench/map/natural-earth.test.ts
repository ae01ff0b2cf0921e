import { geoNaturalEarth1 } from "d3-geo";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAP_SCALE, projectPoint } from "../../../src/workbench/map/natural-earth.js";

const oracle = geoNaturalEarth1().scale(MAP_SCALE).translate([0, 0]);

test("projects as d3-geo does", () => {
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

test("has the equator and the prime meridian in the middle", () => {
  expect(projectPoint(0, 0)).toEqual({ x: 0, y: -0 });
  expect(projectPoint(0, 45).x).toBe(0);
  expect(projectPoint(0, 45).y).toBeLessThan(0);
});
