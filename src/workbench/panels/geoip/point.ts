import type { GeoPoint } from "../../map/projection.js";

/** Returns the location of an address; undefined without one, for which the service returns 0 and 0. */
export function pointOf({ coords }: { readonly coords?: GeoPoint | undefined }): GeoPoint | undefined {
  return coords === undefined || (coords.lat === 0 && coords.lon === 0) ? undefined : coords;
}
