import { describe, expect, it } from "vitest";
import { WITHOUT_OUTLINE } from "../../data/build/world-map/without-outline.js";
import { type MapPoint, projectPoint } from "../../src/workbench/map/projection.js";
import { outlineRings } from "../../src/workbench/map/view.js";
import { dataText, loadCountries } from "./load-countries.js";

const countries = loadCountries();
const { outlines }: { outlines: Record<string, string> } = JSON.parse(dataText("world-map.json"));

/** The maximum distance of near points in units of the map: about three hundred kilometers. */
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
  it("has an outline of every country that is large enough", () => {
    const all = countries.map(({ code2 }) => code2).sort();
    expect([...Object.keys(outlines), ...WITHOUT_OUTLINE].sort()).toEqual(all);
  });

  it("has only rings of whole units", () => {
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
  ])("has %s only in %s", (_, code2, lon, lat) => {
    const holders = Object.keys(outlines).filter((code) => isIn(code, lon, lat));
    expect(holders).toEqual([code2]);
  });

  it("has the coordinates of a country in its outline, or close to it for islands and coarse outlines", () => {
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
