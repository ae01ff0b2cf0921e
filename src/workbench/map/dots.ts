import { type GeoPoint, projectPoint } from "./projection.js";

/** A point with the number of things that are there. */
export interface DotPoint extends GeoPoint {
  /** Default: all points are equal. */
  readonly count?: number;
}

/** The markers of one size. */
interface Dots {
  /** The diameter in pixels. */
  readonly size: number;
  /** SVG path data. */
  readonly path: string;
}

/** The diameter of a marker in pixels: of a point alone, and of the smallest and the largest one of several. */
const ONE = 9;
const SMALLEST = 2;
const LARGEST = 22;

/**
 * Returns the markers of points by size, the largest first, so that none covers a smaller one. Their diameters are proportional to the
 * root of their number.
 */
export function dotsOf(points: readonly DotPoint[]): Dots[] {
  const most = Math.max(1, ...points.map(({ count = 0 }) => count));
  const paths = new Map<number, string>();
  for (const { count, lat, lon } of points) {
    const size =
      count === undefined ? ONE : Math.max(SMALLEST, Math.round(LARGEST * Math.sqrt(count / most)));
    const { x, y } = projectPoint(lon, lat);
    // Lines of zero length: unlike the radius of a circle, a stroke width can be in pixels at any scale.
    paths.set(size, `${paths.get(size) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  }
  return [...paths].map(([size, path]) => ({ size, path })).sort((one, other) => other.size - one.size);
}
