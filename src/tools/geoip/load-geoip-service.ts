import { ok, type Result } from "../../result.js";
import type { ServiceImplementation } from "../../rpc/service.js";
import { defaultGeoIpPaths } from "./default-geoip-paths.js";
import { geoIpService } from "./geoip-service.js";
import { type LoadFailure, loadGeoIpDatabases } from "./load-geoip-databases.js";

/** The settings of the Geo IP service; what is undefined is taken from the installation. */
export interface GeoIpSettings {
  readonly geoIpCityFiles: readonly string[] | undefined;
  readonly geoIpAsnFiles: readonly string[] | undefined;
}

/** Loads the databases and makes the Geo IP service. A failure names the environment variable and the file. */
export async function loadGeoIpService(
  settings: GeoIpSettings,
): Promise<Result<ServiceImplementation, LoadFailure>> {
  const defaults = defaultGeoIpPaths();
  const paths = {
    city: settings.geoIpCityFiles ?? defaults.city,
    asn: settings.geoIpAsnFiles ?? defaults.asn,
  };
  const databases = await loadGeoIpDatabases(paths, { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" });
  return databases.ok ? ok(geoIpService({ databases: databases.value })) : databases;
}
