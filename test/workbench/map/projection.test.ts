import { expect, test } from "vitest";
import { formatCoordinates, projectPoint } from "../../../src/workbench/map/projection.js";

test("projectPoint maps 0° N, 0° E to the center", () => {
  expect(projectPoint(0, 0)).toEqual({ x: 0, y: -0 });
  expect(projectPoint(0, 45).x).toBe(0);
  expect(projectPoint(0, 45).y).toBeLessThan(0);
});

test.each([
  [{ lat: 37.422, lon: -122.085 }, "37.4° N, 122.1° W"],
  [{ lat: -33.86, lon: 151.2 }, "33.9° S, 151.2° E"],
  [{ lat: 0, lon: 0 }, "0.0° N, 0.0° E"],
])("formatCoordinates writes %j as %s", (point, text) => {
  expect(formatCoordinates(point)).toBe(text);
});
