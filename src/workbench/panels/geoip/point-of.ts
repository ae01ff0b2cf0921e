import type { IpMetadata } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { GeoPoint } from "../../map/format-coordinates.js";

/** Where an address is; undefined where the data has no coordinates, of which the service says 0 and 0. */
export function pointOf({ coords }: Pick<IpMetadata, "coords">): GeoPoint | undefined {
  return coords === undefined || (coords.lat === 0 && coords.lon === 0) ? undefined : coords;
}
