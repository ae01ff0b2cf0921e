import fc from "fast-check";
import { describe, expect, test } from "vitest";
import worldMap from "../../../data/world-map.json" with { type: "json" };
import {
  MAP_HEIGHT,
  MAP_WIDTH,
  type MapView,
  viewOf,
  viewTransform,
  WHOLE_MAP,
} from "../../../src/workbench/map/map-view.js";
import { projectPoint } from "../../../src/workbench/map/natural-earth.js";

const outlines: Readonly<Record<string, string>> = worldMap.outlines;

function sees({ centre, scale }: MapView, { x, y }: { x: number; y: number }): boolean {
  return (
    Math.abs(x - centre.x) <= MAP_WIDTH / scale / 2 + 1e-6 &&
    Math.abs(y - centre.y) <= MAP_HEIGHT / scale / 2 + 1e-6
  );
}

describe("viewOf", () => {
  test("is the whole map when there is nothing to see", () => {
    expect(viewOf(undefined, [])).toBe(WHOLE_MAP);
  });

  test.each(Object.keys(outlines))("of %s sees the point, and nothing beyond the map", (code) => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
        (lon, lat) => {
          const point = projectPoint(lon, lat);
          const view = viewOf(outlines[code], [point]);
          expect(sees(view, point)).toBe(true);
          expect(view.scale).toBeGreaterThanOrEqual(1);
          const { x, y } = view.centre;
          expect(Math.abs(x) + MAP_WIDTH / view.scale / 2).toBeLessThanOrEqual(MAP_WIDTH / 2 + 1e-6);
          expect(Math.abs(y) + MAP_HEIGHT / view.scale / 2).toBeLessThanOrEqual(MAP_HEIGHT / 2 + 1e-6);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("is as near as it gets for a point without an outline", () => {
    expect(viewOf(undefined, [projectPoint(14.4, 35.9)]).scale).toBe(7);
  });

  test("of France is of Europe, whatever else is France", () => {
    const view = viewOf(outlines.FR, []);
    expect(sees(view, projectPoint(-5, 51))).toBe(true);
    expect(sees(view, projectPoint(-61, 15))).toBe(false);
  });

  test("of a country on both sides of the map's edge is of one side", () => {
    expect(viewOf(outlines.FJ, []).scale).toBe(7);
  });
});

test("viewTransform brings the centre to 0 0", () => {
  expect(viewTransform(WHOLE_MAP)).toBe("translate(0.0 0.0) scale(1.000)");
  expect(viewTransform({ centre: { x: 100, y: -50 }, scale: 2 })).toBe(
    "translate(-200.0 100.0) scale(2.000)",
  );
});
