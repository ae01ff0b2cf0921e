import { geoCentroid, geoDistance, geoProjection } from "d3-geo";
import { merge } from "topojson-client";
import type { Coordinates } from "../../../src/tools/countries/country.js";
import { MAP_SCALE, naturalEarth } from "../../../src/workbench/map/projection.js";
import { outlinePath } from "./outline-path.js";
import { WITHOUT_OUTLINE } from "./without-outline.js";

/** The parts of `countries-110m.json` of world-atlas that the build uses. */
export interface WorldTopology {
  readonly topology: Parameters<typeof merge>[0];
  readonly shapes: readonly CountryShape[];
}

/** A shape of the topology; `id` is its numeric code of ISO 3166-1, if it has one. */
type CountryShape = Extract<Parameters<typeof merge>[1], readonly unknown[]>[number] & {
  readonly id?: string;
  readonly properties: { readonly name: string };
};

/** The required fields of a country. */
interface MappedCountry {
  readonly code2: string;
  readonly numeric: string;
  readonly coordinates: Coordinates;
}

/**
 * The codes of shapes without a numeric code, by name. In ISO 3166-1, and in the service, Northern Cyprus and Somaliland are
 * parts of Cyprus and Somalia.
 */
const SHAPES_WITHOUT_CODE: Readonly<Record<string, string>> = {
  Kosovo: "XK",
  "N. Cyprus": "CY",
  Somaliland: "SO",
};

/** Territories with their own code that are in the shape of another country. */
const PARTS_WITH_CODE: Readonly<Record<string, string>> = { FR: "GF", NO: "SJ" };

type Polygons = ReturnType<typeof merge>;

/**
 * Returns the outlines of all countries as SVG path data, by alpha-2 code and in its order, in the units of `MAP_SCALE`
 * around 0° N, 0° E. Throws an Error if the countries without an outline are not {@link WITHOUT_OUTLINE}, or if a shape
 * belongs to no country.
 */
export function buildOutlines(
  { topology, shapes }: WorldTopology,
  countries: readonly MappedCountry[],
): Readonly<Record<string, string>> {
  // Edges stay straight, as on the rectangular map of the source, instead of following great circles.
  const projection = geoProjection(naturalEarth).scale(MAP_SCALE).translate([0, 0]).precision(0);
  const polygons = polygonsByCode(topology, shapes, countries);
  const outlines: Record<string, string> = {};
  for (const { code2 } of countries.toSorted((a, b) => (a.code2 < b.code2 ? -1 : 1))) {
    const shape = polygons.get(code2);
    const outline = shape === undefined ? "" : outlinePath(shape, projection);
    if ((outline === "") !== WITHOUT_OUTLINE.has(code2)) {
      throw new Error(
        `${code2} ${outline === "" ? "has no outline" : "has an outline by now"}: see WITHOUT_OUTLINE`,
      );
    }
    if (outline !== "") {
      outlines[code2] = outline;
    }
  }
  return outlines;
}

function polygonsByCode(
  topology: WorldTopology["topology"],
  shapes: readonly CountryShape[],
  countries: readonly MappedCountry[],
): Map<string, Polygons> {
  const byCode = new Map(countries.map((country) => [country.code2, country]));
  const codes = new Map(countries.map(({ numeric, code2 }) => [numeric, code2]));
  const shapesOf = new Map<string, CountryShape[]>();
  for (const shape of shapes) {
    const { id, properties } = shape;
    const code = id === undefined ? SHAPES_WITHOUT_CODE[properties.name] : codes.get(id);
    if (code === undefined) {
      throw new Error(`the shape ${id ?? ""} (${properties.name}) is of no country`);
    }
    shapesOf.set(code, [...(shapesOf.get(code) ?? []), shape]);
  }
  const polygons = new Map([...shapesOf].map(([code, parts]) => [code, merge(topology, parts)]));
  for (const [whole, part] of Object.entries(PARTS_WITH_CODE)) {
    const shape = polygons.get(whole);
    const [home, away] = [byCode.get(whole), byCode.get(part)];
    if (shape !== undefined && home !== undefined && away !== undefined) {
      const { near, far } = splitByDistance(shape, home.coordinates, away.coordinates);
      polygons.set(whole, near);
      polygons.set(part, far);
    }
  }
  return polygons;
}

/** Splits polygons into those nearer to one point and those nearer to another. */
function splitByDistance(
  shape: Polygons,
  one: Coordinates,
  other: Coordinates,
): { near: Polygons; far: Polygons } {
  const isNear = (coordinates: Polygons["coordinates"][number]) => {
    const center = geoCentroid({ type: "Polygon", coordinates });
    return geoDistance(center, [one.lon, one.lat]) <= geoDistance(center, [other.lon, other.lat]);
  };
  const of = (coordinates: Polygons["coordinates"]): Polygons => ({ type: "MultiPolygon", coordinates });
  return {
    near: of(shape.coordinates.filter(isNear)),
    far: of(shape.coordinates.filter((polygon) => !isNear(polygon))),
  };
}
