import type { MapPoint } from "./projection.js";

/** A rectangle on the map. */
export interface MapBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The size of the whole map with a small margin, in map units; its center is 0° N, 0° E. */
const MAP_WIDTH = 5520;
const MAP_HEIGHT = 2890;

/** The whole map. */
export const WHOLE_MAP: MapBox = {
  left: -MAP_WIDTH / 2,
  top: -MAP_HEIGHT / 2,
  right: MAP_WIDTH / 2,
  bottom: MAP_HEIGHT / 2,
};

/** The outlines are too coarse to enlarge them more than this. */
const LARGEST_SCALE = 7;

/** The width of a view relative to the width of its country. */
const SURROUNDINGS = 1.3;

/** Rings smaller than this share of the largest ring are ignored, so that a view shows a country without its outlying islands. */
const MIN_SHARE = 0.15;

/** Rings farther away than this, in map units, are ignored: they are at the opposite edge of the map. */
const MAX_DISTANCE = 1600;

/** Returns the box around a country, by its outline, and the points in it, with some surroundings. */
export function viewOf(outline: string | undefined, points: readonly MapPoint[]): MapBox {
  const corners = [...points, ...(outline === undefined ? [] : mainland(outline).flatMap(cornersOf))];
  if (corners.length === 0) {
    return WHOLE_MAP;
  }
  const { left, top, right, bottom } = boxAround(corners);
  const width = Math.max((right - left) * SURROUNDINGS, MAP_WIDTH / LARGEST_SCALE);
  const height = Math.max((bottom - top) * SURROUNDINGS, MAP_HEIGHT / LARGEST_SCALE);
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

/** Returns a box as the SVG attribute `viewBox`. */
export function viewBoxOf({ left, top, right, bottom }: MapBox): string {
  return [left, top, right - left, bottom - top].map(Math.round).join(" ");
}

/** Parses an outline of data/world-map.json into rings of points. The last point of a ring connects to the first. */
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

/** Returns the bounding box of points. */
function boxAround(points: readonly MapPoint[]): MapBox {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** Returns the boxes of the rings that make up most of a country. */
function mainland(outline: string): MapBox[] {
  const boxes = outlineRings(outline)
    .map(boxAround)
    .sort((one, other) => areaOf(other) - areaOf(one));
  const [largest] = boxes;
  return largest === undefined
    ? []
    : boxes.filter(
        (box) =>
          areaOf(box) >= MIN_SHARE * areaOf(largest) && Math.abs(box.left - largest.left) < MAX_DISTANCE,
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
