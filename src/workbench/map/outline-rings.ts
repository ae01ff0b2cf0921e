import type { MapPoint } from "./natural-earth.js";

/** A part of the map, with its sides along the axes. */
export interface MapBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The rings of an outline of data/world-map.json: for each the corners, of which the last leads back to the first. */
export function outlineRings(outline: string): MapPoint[][] {
  return outline
    .split("M")
    .slice(1)
    .map((ring) => {
      const steps = (ring.match(/-?\d+/g) ?? []).map(Number);
      const points: MapPoint[] = [];
      let [x, y] = [0, 0];
      for (let index = 0; index < steps.length; index += 2) {
        x += steps[index] ?? 0;
        y += steps[index + 1] ?? 0;
        points.push({ x, y });
      }
      return points;
    });
}

/** The smallest box that all points are in. */
export function boxAround(points: readonly MapPoint[]): MapBox {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}
