import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { ok } from "../../result.js";
import { keepLoaded } from "../../service/data-files/keep-loaded.js";
import type { Tool, ToolEnvironment, ToolModule } from "../tool.js";
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

const SERVICE = GeoIpService.typeName;

/**
 * Makes the Geo IP service, and has it follow its files. All files are one set, which is used as a whole or not at all: an
 * answer without its autonomous system would say that there is none. Resolves when the first set was loaded or refused;
 * as long as there has been no usable one the service is not ready and answers `UNAVAILABLE`.
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

  const { current, close } = await keepLoaded({
    paths: [...paths.city, ...paths.asn],
    load: () => loadGeoIpDatabases(paths, { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" }),
    watchFiles,
    onLoaded: (databases, isReplacement) => {
      report({ kind: "data_loaded", service: SERVICE, sources: sourcesOf(databases), isReplacement });
      for (const listener of isReplacement ? [] : listeners) {
        listener();
      }
    },
    onRefused: ({ reason, description }, hasOlderData) =>
      report({ kind: "data_refused", service: SERVICE, reason, description, hasOlderData }),
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
