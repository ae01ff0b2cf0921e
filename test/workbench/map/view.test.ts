import fc from "fast-check";
import { describe, expect, test } from "vitest";
import worldMap from "../../../data/world-map.json" with { type: "json" };
import { projectPoint } from "../../../src/workbench/map/projection.js";
import {
  MAP_HEIGHT,
  MAP_WIDTH,
  type MapView,
  outlineRings,
  viewOf,
  viewTransform,
  WHOLE_MAP,
} from "../../../src/workbench/map/view.js";

test("outlineRings adds up the relative steps", () => {
  const points = outlineRings("M10-20l5 0-5 7zM-1-2l-3-4 5 6z").map((ring) =>
    ring.map(({ x, y }) => `${x} ${y}`),
  );
  expect(points.map((ring) => ring.join(", "))).toEqual(["10 -20, 15 -20, 10 -13", "-1 -2, -4 -6, 1 0"]);
  expect(outlineRings("")).toEqual([]);
});

const outlines: Readonly<Record<string, string>> = worldMap.outlines;

function sees({ center, scale }: MapView, { x, y }: { x: number; y: number }): boolean {
  return (
    Math.abs(x - center.x) <= MAP_WIDTH / scale / 2 + 1e-6 &&
    Math.abs(y - center.y) <= MAP_HEIGHT / scale / 2 + 1e-6
  );
}

describe("viewOf", () => {
  test("returns the whole map without outline and points", () => {
    expect(viewOf(undefined, [])).toBe(WHOLE_MAP);
  });

  test.each(Object.keys(outlines))("of %s contains the point and stays within the map", (code) => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
        (lon, lat) => {
          const point = projectPoint(lon, lat);
          const view = viewOf(outlines[code], [point]);
          const { x, y } = view.center;
          return (
            sees(view, point) &&
            view.scale >= 1 &&
            Math.abs(x) + MAP_WIDTH / view.scale / 2 <= MAP_WIDTH / 2 + 1e-6 &&
            Math.abs(y) + MAP_HEIGHT / view.scale / 2 <= MAP_HEIGHT / 2 + 1e-6
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  test("uses the largest scale for a point without an outline", () => {
    expect(viewOf(undefined, [projectPoint(14.4, 35.9)]).scale).toBe(7);
  });

  test("of France shows Europe without overseas France", () => {
    const view = viewOf(outlines.FR, []);
    expect(sees(view, projectPoint(-5, 51))).toBe(true);
    expect(sees(view, projectPoint(-61, 15))).toBe(false);
  });

  test("of a country across the edge of the map shows one side", () => {
    expect(viewOf(outlines.FJ, []).scale).toBe(7);
  });
});

test("viewTransform moves the center to 0 0", () => {
  expect(viewTransform(WHOLE_MAP)).toBe("translate(0.0 0.0) scale(1.000)");
  expect(viewTransform({ center: { x: 100, y: -50 }, scale: 2 })).toBe(
    "translate(-200.0 100.0) scale(2.000)",
  );
});
