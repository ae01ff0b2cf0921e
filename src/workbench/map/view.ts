import type { MapPoint } from "./projection.js";

/** The size of the whole map with a small margin, in map units; its center is 0° N, 0° E. */
export const MAP_WIDTH = 5520;
export const MAP_HEIGHT = 2890;

/** The visible part of the map: `scale` times enlarged, with `center` in the middle. */
export interface MapView {
  readonly center: MapPoint;
  readonly scale: number;
}

/** The view of the whole map. */
export const WHOLE_MAP: MapView = { center: { x: 0, y: 0 }, scale: 1 };

/** The outlines are too coarse for a larger scale. */
const LARGEST_SCALE = 7;

/** The width of a view relative to the width of its country. */
const SURROUNDINGS = 2.2;

/** Rings smaller than this share of the largest ring are ignored, so that a view shows a country without its outlying islands. */
const MIN_SHARE = 0.15;

/** Rings farther away than this, in map units, are ignored: they are at the opposite edge of the map. */
const MAX_DISTANCE = 1600;

/** Returns a view of a country, by its outline, and of the points in it. */
export function viewOf(outline: string | undefined, points: readonly MapPoint[]): MapView {
  const corners = [...points, ...(outline === undefined ? [] : mainland(outline).flatMap(cornersOf))];
  if (corners.length === 0) {
    return WHOLE_MAP;
  }
  const { left, top, right, bottom } = boxAround(corners);
  const fit = Math.min(MAP_WIDTH / (right - left), MAP_HEIGHT / (bottom - top)) / SURROUNDINGS;
  const scale = clamp(fit, 1, LARGEST_SCALE);
  // A view does not extend beyond the edge of the map.
  const reach = (1 - 1 / scale) / 2;
  return {
    center: {
      x: clamp((left + right) / 2, -reach * MAP_WIDTH, reach * MAP_WIDTH),
      y: clamp((top + bottom) / 2, -reach * MAP_HEIGHT, reach * MAP_HEIGHT),
    },
    scale,
  };
}

/** Returns the SVG `transform` that shows a view. */
export function viewTransform({ center, scale }: MapView): string {
  const shift = [center.x, center.y].map((value) => (-value * scale).toFixed(1));
  return `translate(${shift.join(" ")}) scale(${scale.toFixed(3)})`;
}

/** A rectangle on the map. */
interface MapBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
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

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
