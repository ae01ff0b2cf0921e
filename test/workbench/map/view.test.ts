import fc from "fast-check";
import { describe, expect, test } from "vitest";
import worldMap from "../../../data/world-map.json" with { type: "json" };
import { projectPoint } from "../../../src/workbench/map/projection.js";
import { type MapBox, outlineRings, viewBoxOf, viewOf, WHOLE_MAP } from "../../../src/workbench/map/view.js";

test("outlineRings adds up the relative steps", () => {
  const points = outlineRings("M10-20l5 0-5 7zM-1-2l-3-4 5 6z").map((ring) =>
    ring.map(({ x, y }) => `${x} ${y}`),
  );
  expect(points.map((ring) => ring.join(", "))).toEqual(["10 -20, 15 -20, 10 -13", "-1 -2, -4 -6, 1 0"]);
  expect(outlineRings("")).toEqual([]);
});

const outlines: Readonly<Record<string, string>> = worldMap.outlines;

const sees = ({ left, top, right, bottom }: MapBox, { x, y }: { x: number; y: number }) =>
  x >= left && x <= right && y >= top && y <= bottom;

const sizeOf = ({ left, top, right, bottom }: MapBox) => [right - left, bottom - top] as const;

describe("viewOf", () => {
  test("returns the whole map without outline and points", () => {
    expect(viewOf(undefined, [])).toBe(WHOLE_MAP);
  });

  test.each(Object.keys(outlines))("of %s contains the point", (code) => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
        (lon, lat) => {
          const point = projectPoint(lon, lat);
          return sees(viewOf(outlines[code], [point]), point);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("has a seventh of the map around a point without an outline", () => {
    const point = projectPoint(14.4, 35.9);
    const view = viewOf(undefined, [point]);
    const [width, height] = sizeOf(view);
    expect(width).toBeCloseTo(5520 / 7);
    expect(height).toBeCloseTo(2890 / 7);
    expect((view.left + view.right) / 2).toBeCloseTo(point.x);
  });

  test.each([
    ["the middle", 0],
    ["the edge of the map", 2_600],
  ])("has a country at %s in its center, with 30 % more than its size", (_, x) => {
    const view = viewOf(`M${x} 0l1000 0 0 2000z`, []);
    expect(view).toEqual({ left: x - 150, top: -300, right: x + 1150, bottom: 2300 });
  });

  test("of France shows Europe without overseas France", () => {
    const view = viewOf(outlines.FR, []);
    expect(sees(view, projectPoint(-4, 48))).toBe(true);
    expect(sees(view, projectPoint(-61, 15))).toBe(false);
  });

  test("of a country across the edge of the map shows one side", () => {
    expect(sizeOf(viewOf(outlines.FJ, []))[0]).toBeCloseTo(5520 / 7);
  });
});

test("viewBoxOf writes the corner and the size in whole units", () => {
  expect(viewBoxOf(WHOLE_MAP)).toBe("-2760 -1445 5520 2890");
  expect(viewBoxOf({ left: -10.4, top: 5.2, right: 20, bottom: 15 })).toBe("-10 5 30 10");
});
