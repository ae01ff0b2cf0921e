import type { MapPoint } from "./natural-earth.js";
import { boxAround, type MapBox, outlineRings } from "./outline-rings.js";

/** The whole map with a little air around it, in units of the map; its centre is 0° N, 0° E. */
export const MAP_WIDTH = 5520;
export const MAP_HEIGHT = 2890;

/** What of the map is seen: `scale` times as large as the whole, with `centre` in the middle. */
export interface MapView {
  readonly centre: MapPoint;
  readonly scale: number;
}

/** The whole map. */
export const WHOLE_MAP: MapView = { centre: { x: 0, y: 0 }, scale: 1 };

/** The outlines are too coarse to be looked at from nearer. */
const LARGEST_SCALE = 7;

/** How much wider than its country a view is. */
const SURROUNDINGS = 2.2;

/** The share of the largest ring that another has to have to count: a view is for the country, not for its outer islands. */
const NOTEWORTHY = 0.15;

/** From this far away, in units of the map, rings do not count: they are on the other side of the map's edge. */
const ELSEWHERE = 1600;

/** A view of a country, by its outline, and of a point in it, with what lies around. */
export function viewOf(outline: string | undefined, points: readonly MapPoint[]): MapView {
  const corners = [...points, ...(outline === undefined ? [] : mainland(outline).flatMap(cornersOf))];
  if (corners.length === 0) {
    return WHOLE_MAP;
  }
  const { left, top, right, bottom } = boxAround(corners);
  const fit = Math.min(MAP_WIDTH / (right - left), MAP_HEIGHT / (bottom - top)) / SURROUNDINGS;
  const scale = clamp(fit, 1, LARGEST_SCALE);
  // A view does not go beyond the edge of the map.
  const reach = (1 - 1 / scale) / 2;
  return {
    centre: {
      x: clamp((left + right) / 2, -reach * MAP_WIDTH, reach * MAP_WIDTH),
      y: clamp((top + bottom) / 2, -reach * MAP_HEIGHT, reach * MAP_HEIGHT),
    },
    scale,
  };
}

/** The `transform` of what is drawn in units of the map, for a view of it. */
export function viewTransform({ centre, scale }: MapView): string {
  const shift = [centre.x, centre.y].map((value) => (-value * scale).toFixed(1));
  return `translate(${shift.join(" ")}) scale(${scale.toFixed(3)})`;
}

/** The boxes of the rings that make up most of a country. */
function mainland(outline: string): MapBox[] {
  const boxes = outlineRings(outline)
    .map(boxAround)
    .sort((one, other) => areaOf(other) - areaOf(one));
  const [largest] = boxes;
  return largest === undefined
    ? []
    : boxes.filter(
        (box) => areaOf(box) >= NOTEWORTHY * areaOf(largest) && Math.abs(box.left - largest.left) < ELSEWHERE,
      );
}

function areaOf({ left, top, right, bottom }: MapBox): number {
  return (right - left) * (bottom - top);
}

function cornersOf({ left, top, right, bottom }: MapBox): MapPoint[] {
  return [
    { x: left, y: top },
    { x: right, y: bottom },
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
