import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { loadDataFiles, type WatchFiles } from "../../service/data-files/data-files.js";
import type { Tool, ToolEvent } from "../tool.js";
import { defaultGeoIpPaths } from "./default-geoip-paths.js";
import type { GeoIpDatabases } from "./geoip-databases.js";
import { geoIpService } from "./geoip-service.js";
import { geoIpSources } from "./geoip-sources.js";
import { loadGeoIpDatabases } from "./load-geoip-databases.js";

/** The settings of the Geo IP service; what is undefined is taken from the installation. */
export interface GeoIpSettings {
  readonly geoIpCityFiles: readonly string[] | undefined;
  readonly geoIpAsnFiles: readonly string[] | undefined;
}

/** What the Geo IP service needs to follow its files. */
export interface GeoIpWorld {
  readonly watchFiles: WatchFiles;
  /** Is told when databases were loaded, or could not be used: with the environment variable and the file. */
  readonly report: (event: ToolEvent) => void;
}

const SERVICE = GeoIpService.typeName;

/**
 * Makes the Geo IP service, and has it follow its files. All files are one set, which is used as a whole or not at all: an
 * answer without its autonomous system would say that there is none. Resolves when the first set was loaded or refused;
 * as long as there has been no usable one the service is not ready and answers `UNAVAILABLE`.
 */
export async function loadGeoIpService(
  settings: GeoIpSettings,
  { watchFiles, report }: GeoIpWorld,
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
  return {
    ...geoIpService({ databases: current }),
    sources: () => sourcesOf(current()),
    readiness: {
      isReady: () => current() !== undefined,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close,
  };
}
