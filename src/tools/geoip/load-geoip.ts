import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { loadDataFiles } from "connect-transcoding-operations/files/data-files";
import { ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import {
  DATABASES,
  type DatabaseName,
  folderPaths,
  readProvenance,
} from "../../service/data-files/data-folder.js";
import { loadCountries } from "../countries/load-countries.js";
import type { DataSource, Tool, ToolEnvironment, ToolModule } from "../tool.js";
import { geoIpService } from "./geoip-service.js";
import {
  geoIpSources,
  INSTALLED_ORIGINS,
  type KnownOrigins,
  type Origin,
  originOfSource,
} from "./geoip-sources.js";
import {
  type GeoIpPathNames,
  type GeoIpPaths,
  type LoadFailure,
  loadGeoIpDatabases,
} from "./load-databases.js";
import type { GeoIpDatabases } from "./lookup-ip.js";
import type { CountryOfPlace } from "./place-details.js";

/** The settings of the Geo IP tool. */
export interface GeoIpSettings {
  /** MMDB files with locations; undefined: the one in `dataDir` if it exists, otherwise the installed ones. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems, likewise. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** The folder of the files that `update-data` has downloaded. It may not exist. */
  readonly dataDir: string;
}

const SERVICE = GeoIpService.typeName;

/**
 * Creates the Geo IP tool, and reloads its files when they change. All files are used together or not at all: without
 * the ASN data a response would say that there is no autonomous system. Resolves after the first load, even if it failed;
 * until a load succeeds the tool is not ready and returns `UNAVAILABLE`.
 */
export async function loadGeoIpService(
  settings: GeoIpSettings,
  countries: readonly CountryOfPlace[],
  { watchFiles, report, now }: Pick<ToolEnvironment, "watchFiles" | "report" | "now">,
): Promise<Tool> {
  const listeners = new Set<() => void>();
  const { current, close } = await loadDataFiles({
    paths: watchedPaths(settings),
    load: () => loadDatabases(settings),
    watchFiles,
    onLoad: (loaded, hadData) => {
      if (!loaded.ok) {
        const { reason, description } = loaded.failure;
        report({ kind: "data_refused", service: SERVICE, reason, description, hasOlderData: hadData });
        return;
      }
      const { sources, files } = loaded.value;
      report({ kind: "data_loaded", service: SERVICE, sources, files, isReplacement: hadData });
      for (const listener of hadData ? [] : listeners) {
        listener();
      }
    },
  });
  return geoIpService({
    databases: () => current()?.databases,
    countries,
    now,
    sources: () => current()?.sources ?? geoIpSources(undefined, {}),
    files: () => current()?.files ?? [],
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

export const load: ToolModule["load"] = async ({ config, ...environment }) => {
  const countries = await loadCountries();
  return countries.ok ? ok(await loadGeoIpService(config, countries.value, environment)) : countries;
};

/** The databases, and the sources of lookups in them. */
interface LoadedDatabases {
  readonly databases: GeoIpDatabases;
  readonly sources: readonly DataSource[];
  /** The paths of the files. */
  readonly files: readonly string[];
}

/** Loads the files that the settings choose. Fails as {@link loadGeoIpDatabases} does. */
export async function loadDatabases(settings: GeoIpSettings): Promise<Result<LoadedDatabases, LoadFailure>> {
  const files = await findDatabaseFiles(settings);
  const databases = await loadGeoIpDatabases(files.paths, files.names);
  return databases.ok
    ? ok({
        databases: databases.value,
        sources: geoIpSources(databases.value, await findOrigins(files, settings)),
        files: DATABASES.flatMap((database) => files.paths[database]),
      })
    : databases;
}

/** The files of both databases. */
export interface DatabaseFiles {
  readonly paths: GeoIpPaths;
  /** The settings that have chosen the files, for messages. */
  readonly names: GeoIpPathNames;
}

/**
 * Returns the paths of the installed files: locations from DB-IP in columns, and autonomous systems from origin-asn. `npm ci`
 * decompresses both. The files may not exist.
 */
export function defaultGeoIpPaths(): GeoIpPaths {
  const data = join(PACKAGE_FOLDER, "data");
  return { city: [join(data, "city.columns")], asn: [join(data, "asn.mmdb")] };
}

/** Returns the files of the databases: those of the settings, those in the data folder, or the installed ones. */
export async function findDatabaseFiles(settings: GeoIpSettings): Promise<DatabaseFiles> {
  const [city, asn] = await Promise.all([
    filesOf("city", settings.geoIpCityFiles, "GEOIP_CITY_FILES", settings.dataDir),
    filesOf("asn", settings.geoIpAsnFiles, "GEOIP_ASN_FILES", settings.dataDir),
  ]);
  return { paths: { city: city.paths, asn: asn.paths }, names: { city: city.name, asn: asn.name } };
}

async function filesOf(
  database: DatabaseName,
  given: readonly string[] | undefined,
  name: string,
  folder: string,
): Promise<{ readonly paths: readonly string[]; readonly name: string }> {
  if (given !== undefined) {
    return { paths: given, name };
  }
  const { file } = folderPaths(folder, database);
  return (await lengthOf(file)) === undefined
    ? { paths: defaultGeoIpPaths()[database], name: "installed files" }
    : { paths: [file], name: "DATA_DIR" };
}

/** Returns all files whose changes can change the result of {@link findDatabaseFiles} or {@link findOrigins}. */
export function watchedPaths(settings: GeoIpSettings): string[] {
  const installed = defaultGeoIpPaths();
  const given = { city: settings.geoIpCityFiles, asn: settings.geoIpAsnFiles };
  return DATABASES.flatMap((database) => {
    const { file, provenance } = folderPaths(settings.dataDir, database);
    return given[database] ?? [file, provenance, ...installed[database]];
  });
}

/**
 * Returns the origins of databases that are known: those of installed files and their copies, and those of files that
 * `update-data` has downloaded from a publisher.
 */
export async function findOrigins(
  { paths }: DatabaseFiles,
  { dataDir }: GeoIpSettings,
): Promise<KnownOrigins> {
  const [city, asn] = await Promise.all(
    DATABASES.map((database) => findOrigin(database, paths[database], folderPaths(dataDir, database))),
  );
  return { city, asn };
}

async function findOrigin(
  database: DatabaseName,
  paths: readonly string[],
  inFolder: ReturnType<typeof folderPaths>,
): Promise<Origin | undefined> {
  if (paths.includes(inFolder.file)) {
    const source = (await readProvenance(inFolder))?.source ?? "";
    const origin = originOfSource(source);
    if (origin !== undefined) {
      return origin;
    }
  }
  const installed = defaultGeoIpPaths()[database];
  const areCopies = await Promise.all(paths.map((path) => isCopyOfAny(path, installed)));
  return paths.length > 0 && areCopies.every(Boolean) ? INSTALLED_ORIGINS[database] : undefined;
}

async function isCopyOfAny(path: string, originals: readonly string[]): Promise<boolean> {
  for (const original of originals) {
    if (path === original || ((await haveSameLength(path, original)) && (await areEqual(path, original)))) {
      return true;
    }
  }
  return false;
}

async function haveSameLength(path: string, other: string): Promise<boolean> {
  const length = await lengthOf(path);
  return length !== undefined && length === (await lengthOf(other));
}

/** Whether two files have the same content. A file that cannot be read is not the same as any other. */
async function areEqual(path: string, other: string): Promise<boolean> {
  try {
    const [content, otherContent] = await Promise.all([readFile(path), readFile(other)]);
    return content.equals(otherContent);
  } catch {
    return false;
  }
}

/** The length of a file in bytes; undefined if there is none. */
function lengthOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
