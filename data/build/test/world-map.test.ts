import { geoNaturalEarth1 } from "d3-geo";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAP_SCALE, projectPoint } from "../../../src/workbench/map/projection.js";
import { dataText, loadCountries } from "../../../test/data/load-countries.js";
import packageJson from "../package.json" with { type: "json" };
import { worldMapText } from "../world-map/write-world-map.js";

test("the build writes exactly the committed world map", () => {
  expect(worldMapText(loadCountries())).toBe(dataText("world-map.json"));
});

test("the world map records the version of the installed package", () => {
  expect(JSON.parse(dataText("world-map.json")).source).toMatchObject({
    package: "world-atlas",
    version: packageJson.devDependencies["world-atlas"],
    name: "Natural Earth",
  });
});

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
