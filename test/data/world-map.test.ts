import { describe, expect, it } from "vitest";
import { WITHOUT_OUTLINE } from "../../data/world-map/without-outline.js";
import { worldMapText } from "../../data/world-map/write-world-map.js";
import packageJson from "../../package.json" with { type: "json" };
import { type MapPoint, projectPoint } from "../../src/workbench/map/projection.js";
import { outlineRings } from "../../src/workbench/map/view.js";
import { dataText, loadCountries } from "./load-countries.js";

const countries = loadCountries();
const { source, outlines }: { source: Record<string, string>; outlines: Record<string, string> } = JSON.parse(
  dataText("world-map.json"),
);

/** Units of the map that are near: some three hundred kilometres. */
const NEAR = 50;

/** Whether a ray from the point crosses the rings an odd number of times. */
function isInside(rings: readonly (readonly MapPoint[])[], { x, y }: MapPoint): boolean {
  const crossings = rings.flatMap((ring) =>
    ring.filter((from, index) => {
      const to = ring[(index + 1) % ring.length] ?? from;
      return from.y > y !== to.y > y && x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
    }),
  );
  return crossings.length % 2 === 1;
}

const isIn = (code2: string, lon: number, lat: number) =>
  isInside(outlineRings(outlines[code2] ?? ""), projectPoint(lon, lat));

describe("the world map", () => {
  it("is exactly the committed file", () => {
    expect(worldMapText(countries)).toBe(dataText("world-map.json"));
  });

  it("names the version of the installed package", () => {
    expect(source).toMatchObject({
      package: "world-atlas",
      version: packageJson.devDependencies["world-atlas"],
      name: "Natural Earth",
    });
  });

  it("has an outline of every country that is not too small for one", () => {
    const all = countries.map(({ code2 }) => code2).sort();
    expect([...Object.keys(outlines), ...WITHOUT_OUTLINE].sort()).toEqual(all);
  });

  it("has nothing but rings of whole units", () => {
    for (const outline of Object.values(outlines)) {
      expect(outline).toMatch(/^(M-?\d+[ -]\d+l-?\d+(?:[ -]\d+)+z)+$/);
    }
  });

  it.each([
    ["Chicago", "US", -87.6, 41.9],
    ["Anchorage", "US", -149.9, 61.2],
    ["Moscow", "RU", 37.6, 55.75],
    ["the Chukchi Peninsula", "RU", -173, 66.5],
    ["Paris", "FR", 2.35, 48.85],
    ["Saül", "GF", -53.2, 3.6],
    ["Longyearbyen's island", "SJ", 16, 78.5],
    ["Oslo's hinterland", "NO", 10, 60.5],
    ["Canberra", "AU", 149, -35.3],
    ["the South Pole's surroundings", "AQ", 0, -85],
    ["Pristina", "XK", 21, 42.6],
    ["Hargeisa", "SO", 44.1, 9.6],
    ["Kinshasa's hinterland", "CD", 20, -4],
    ["Maseru", "LS", 28, -29.5],
  ])("has %s in %s and nowhere else", (_, code2, lon, lat) => {
    const holders = Object.keys(outlines).filter((code) => isIn(code, lon, lat));
    expect(holders).toEqual([code2]);
  });

  it("has the point that stands for a country in its outline, or close to it where that is islands or coarse", () => {
    const far = countries.filter(({ code2, coordinates: { lat, lon } }) => {
      const outline = outlines[code2];
      if (outline === undefined || isIn(code2, lon, lat)) {
        return false;
      }
      const { x, y } = projectPoint(lon, lat);
      const corners = outlineRings(outline).flat();
      return Math.min(...corners.map((corner) => Math.hypot(corner.x - x, corner.y - y))) > NEAR;
    });
    expect(far.map(({ code2 }) => code2)).toEqual([]);
  });
});
