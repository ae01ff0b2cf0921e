import { projectPoint } from "./natural-earth.js";

/** Degrees from one line to the next. */
const STEP = 30;

/** Meridians are curves on this map; this many degrees of one are drawn straight. */
const STRIDE = 5;

/** Meridians and parallels every thirty degrees, as data of an SVG path. Parallels are straight lines on this map. */
export function graticule(): string {
  const meridians = range(-180 + STEP, 180 - STEP, STEP).map((lon) => line(meridian(lon)));
  const parallels = range(-90 + STEP, 90 - STEP, STEP).map((lat) =>
    line([
      [-180, lat],
      [180, lat],
    ]),
  );
  return [...meridians, ...parallels].join("");
}

/** The edge of the map, as data of an SVG path. */
export function mapEdge(): string {
  return `${line([...meridian(180), ...meridian(-180).reverse()])}z`;
}

function meridian(lon: number): [number, number][] {
  return range(-90, 90, STRIDE).map((lat) => [lon, lat]);
}

function line(points: readonly (readonly [lon: number, lat: number])[]): string {
  const text = points.map(([lon, lat]) => {
    const { x, y } = projectPoint(lon, lat);
    return `${Math.round(x)} ${Math.round(y)}`;
  });
  return `M${text.join("L")}`;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);
}
