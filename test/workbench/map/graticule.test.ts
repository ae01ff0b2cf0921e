import { describe, expect, test } from "vitest";
import { graticule, mapEdge } from "../../../src/workbench/map/graticule.js";
import { MAP_HEIGHT, MAP_WIDTH } from "../../../src/workbench/map/map-view.js";
import { projectPoint } from "../../../src/workbench/map/natural-earth.js";

const lines = (path: string) => path.split("M").slice(1);

describe("graticule", () => {
  test("has eleven meridians and five parallels", () => {
    expect(lines(graticule())).toHaveLength(11 + 5);
  });

  test("has the equator through the whole map", () => {
    const { x } = projectPoint(180, 0);
    expect(lines(graticule())).toContain(`${-Math.round(x)} 0L${Math.round(x)} 0`);
  });

  test("has the prime meridian straight", () => {
    const points = lines(graticule()).map((line) => line.split("L").map((point) => point.split(" ")[0]));
    expect(points.filter((xs) => xs.every((x) => x === "0"))).toHaveLength(1);
  });
});

test("the edge is within the map, and fills it but for a little air", () => {
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
