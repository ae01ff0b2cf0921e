import { expect, test } from "vitest";
import { formatCoordinates } from "../../../src/workbench/map/format-coordinates.js";

test.each([
  [{ lat: 37.422, lon: -122.085 }, "37.4° N, 122.1° W"],
  [{ lat: -33.86, lon: 151.2 }, "33.9° S, 151.2° E"],
  [{ lat: 0, lon: 0 }, "0.0° N, 0.0° E"],
])("%j is %s", (point, text) => {
  expect(formatCoordinates(point)).toBe(text);
});
