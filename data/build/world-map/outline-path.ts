import { type GeoPermissibleObjects, type GeoProjection, geoPath } from "d3-geo";

/** A point in whole units of the map. */
type GridPoint = readonly [x: number, y: number];

/**
 * Writes the outline of a shape as SVG path data in whole units: an `M` at the start of each ring, and an `l` with the
 * steps to its other points. Omits rings narrower than a unit, so the result may be empty.
 */
export function outlinePath(shape: GeoPermissibleObjects, projection: GeoProjection): string {
  return projectedRings(shape, projection)
    .filter((ring) => ring.length > 2)
    .map(ringPath)
    .join("");
}

/** Clips and projects the rings with d3 to whole units, without consecutive duplicate points. */
function projectedRings(shape: GeoPermissibleObjects, projection: GeoProjection): GridPoint[][] {
  const rings: GridPoint[][] = [];
  let ring: GridPoint[] = [];
  const add = (x: number, y: number) => {
    const point: GridPoint = [Math.round(x), Math.round(y)];
    const last = ring.at(-1);
    if (last?.[0] !== point[0] || last[1] !== point[1]) {
      ring.push(point);
    }
  };
  geoPath(projection, {
    beginPath() {},
    moveTo(x, y) {
      ring = [];
      add(x, y);
    },
    lineTo: add,
    arc() {},
    closePath() {
      rings.push(ring);
    },
  })(shape);
  return rings;
}

/** Omits spaces before minus signs, which also separate numbers. */
function ringPath(ring: readonly GridPoint[]): string {
  const numbers = ring.flatMap(([x, y], index) => {
    const [fromX, fromY] = ring[index - 1] ?? [0, 0];
    return [x - fromX, y - fromY];
  });
  const text = (values: readonly number[]) => values.join(" ").replaceAll(" -", "-");
  return `M${text(numbers.slice(0, 2))}l${text(numbers.slice(2))}z`;
}
