/** A point on the globe, in degrees. */
export interface GeoPoint {
  /** North is positive. */
  readonly lat: number;
  /** East is positive. */
  readonly lon: number;
}

/** Formats coordinates to a tenth of a degree: `37.4° N, 122.1° W`. */
export function formatCoordinates({ lat, lon }: GeoPoint): string {
  return `${degrees(lat, "N", "S")}, ${degrees(lon, "E", "W")}`;
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(1)}° ${value < 0 ? negative : positive}`;
}

/** A point on the map: x grows to the right, y downwards. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** Map units per radian. The world is 5,471 units wide; one unit is about six kilometers at the equator. */
export const MAP_SCALE = 1000;

/**
 * Projects a point of the unit sphere with the Natural Earth projection. `lambda` (longitude) and `phi` (latitude) are in
 * radians; y grows to the north.
 * Šavrič, Jenny, Patterson, Petrovič and Hurni (2011), A Polynomial Equation for the Natural Earth Projection,
 * Cartography and Geographic Information Science 38 (4), equations 1 and 2.
 */
export function naturalEarth(lambda: number, phi: number): [number, number] {
  const p2 = phi * phi;
  const p4 = p2 * p2;
  const p8 = p4 * p4;
  return [
    lambda * (0.8707 - 0.131979 * p2 - 0.013791 * p4 + (0.003971 * p2 - 0.001529 * p4) * p8),
    phi * (1.007226 + 0.015085 * p2 + (0.028874 * p2 - 0.044475 - 0.005916 * p4) * p2 * p4),
  ];
}

/** Projects a point of the globe, in degrees, to the map. */
export function projectPoint(lon: number, lat: number): MapPoint {
  const [x, y] = naturalEarth((lon * Math.PI) / 180, (lat * Math.PI) / 180);
  return { x: x * MAP_SCALE, y: -y * MAP_SCALE };
}
