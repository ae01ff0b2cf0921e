/** A point on the globe, in degrees. */
export interface GeoPoint {
  /** North positive. */
  readonly lat: number;
  /** East positive. */
  readonly lon: number;
}

/** Coordinates as people write them, to a tenth of a degree: `37.4° N, 122.1° W`. */
export function formatCoordinates({ lat, lon }: GeoPoint): string {
  return `${degrees(lat, "N", "S")}, ${degrees(lon, "E", "W")}`;
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(1)}° ${value < 0 ? negative : positive}`;
}
