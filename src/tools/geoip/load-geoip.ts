import { join } from "node:path";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { loadDataFiles } from "connect-transcoding-operations/files/data-files";
import { DATABASES, type DatabaseName } from "../../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import type { DataSource, SharedFiles, Tool, ToolEnvironment, ToolModule } from "../tool.js";
import {
  type LoadFailure,
  loadCountrySources,
  loadGeoIpDatabases,
  MAX_NETWORKS,
  noOpenFiles,
  type OpenFiles,
  openFilesByPath,
} from "./databases/load-databases.js";
import { createLoadRest } from "./databases/load-rest.js";
import type { CountryOfPlace } from "./details/place-details.js";
import { geoIpService } from "./geoip-service.js";
import { geoIpSources, TIME_ZONES } from "./geoip-sources.js";
import {
  type ChosenFiles,
  defaultGeoIpPaths,
  findDatabaseFiles,
  findOrigins,
  type GeoIpSettings,
  watchedPaths,
} from "./load-geoip-files.js";
import type { GeoIpDatabases } from "./lookup-ip.js";

const SERVICE = GeoIpService.typeName;

/** The installed file with the countries that contradict those of the installed locations. */
const COUNTRY_SOURCES = join(PACKAGE_FOLDER, "data/country-sources.columns");

/**
 * Creates the Geo IP tool, and reloads its files when they change. All files are used together or not at all: without
 * the ASN data a response would say that there is no autonomous system. Resolves after the first load, even if it failed;
 * until a load succeeds the tool is not ready and returns `UNAVAILABLE`.
 */
export async function loadGeoIpService(
  settings: GeoIpSettings,
  countries: () => Promise<Result<readonly CountryOfPlace[], Failure>>,
  {
    watchFiles,
    report,
    now,
    sharedFiles,
  }: Pick<ToolEnvironment, "watchFiles" | "report" | "now" | "sharedFiles">,
): Promise<Tool> {
  const listeners = new Set<() => void>();
  const open = noOpenFiles(sharedFiles, (path, database) =>
    defaultGeoIpPaths()[database].includes(path)
      ? sharedFiles === undefined
        ? INSTALLED_TRIAL
        : 0
      : MAX_NETWORKS,
  );
  const loadRest = createLoadRest(open);
  /** Resolves when lookups no longer read files. */
  let restLoaded = Promise.resolve();
  const { current, close } = await loadDataFiles({
    paths: watchedPaths(settings),
    load: async (inUse: LoadedDatabases | undefined) => {
      await restLoaded;
      const loaded = keepNewer(await loadDatabases(settings, open), inUse);
      const files = loaded.ok ? loaded.value.files : (inUse?.files ?? []);
      for (const path of [...open.city.keys(), ...open.asn.keys()].filter((each) => !files.includes(each))) {
        open.city.delete(path);
        open.asn.delete(path);
      }
      return loaded;
    },
    watchFiles,
    onLoad: (loaded, hadData) => {
      if (!loaded.ok) {
        const { reason, description } = loaded.failure;
        report({ kind: "data_refused", service: SERVICE, reason, description, hasOlderData: hadData });
        return;
      }
      const { sources, files, outdated, rejected } = loaded.value;
      for (const file of rejected) {
        const { reason } = file;
        const description = describeRejected(file);
        report({ kind: "data_refused", service: SERVICE, reason, description, hasOlderData: true });
      }
      report({ kind: "data_loaded", service: SERVICE, sources, files, outdated, isReplacement: hadData });
      restLoaded = sharedFiles === undefined ? loadRest() : restLoaded;
      for (const listener of hadData ? [] : listeners) {
        listener();
      }
    },
  });
  const { prepareDetails, ...tool } = geoIpService({
    databases: () => current()?.databases,
    countries,
    now,
    sources: () => [...(current()?.sources ?? geoIpSources(undefined, {})), TIME_ZONES],
    files: () => current()?.files ?? [],
    readiness: {
      isReady: () => current() !== undefined,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    ...(sharedFiles && { shareFiles: () => shareFiles(open) }),
    close,
  });
  if (sharedFiles === undefined) {
    // After the first data, so that the service is ready before. A failure is that of the first call that needs the details.
    void restLoaded.then(prepareDetails).catch(() => {});
  }
  return tool;
}

/** The networks of an installed file that are tried at startup. It is complete and of the right kind, unless the installation is broken. */
const INSTALLED_TRIAL = 32;

function shareFiles(open: OpenFiles): SharedFiles {
  return new Map(
    [...openFilesByPath(open)].map(([path, file]) => [path, open.shared?.get(path) ?? file.share()]),
  );
}

export const load: ToolModule["load"] = async ({ config, countries: load, ...environment }) => {
  // A command may need no countries.
  const countries = environment.sharedFiles === undefined ? await load() : ok([]);
  return countries.ok ? ok(await loadGeoIpService(config, load, environment)) : countries;
};

/** The databases, and the sources of lookups in them. */
interface LoadedDatabases {
  readonly databases: GeoIpDatabases;
  readonly sources: readonly DataSource[];
  /** The paths of the files. */
  readonly files: readonly string[];
  /** Files in the data folder that are older than the installed ones, and therefore not used. */
  readonly outdated: readonly string[];
  /** Newer files that cannot be used. */
  readonly rejected: readonly RejectedFile[];
}

/** Why a file cannot be used, and the older file that is used. */
type RejectedFile = LoadFailure & { readonly replacement: string };

/** Returns a warning about what lookups in the installed locations lack; undefined if it is nothing. */
export function lackOf({
  databases,
  files,
}: Pick<LoadedDatabases, "databases" | "files">): string | undefined {
  const isInstalled = defaultGeoIpPaths().city.some((path) => files.includes(path));
  return isInstalled && databases.countrySources === undefined
    ? `${COUNTRY_SOURCES} cannot be read: country_sources of a full view is empty`
    : undefined;
}

/** Describes a file that cannot be used, and names the one that is used. */
export function describeRejected({ description, replacement }: RejectedFile): string {
  return `${description}; ${replacement} is used`;
}

/** Rejects new data if a broken file would replace data that is in use by an older file. */
function keepNewer(
  loaded: Result<LoadedDatabases, LoadFailure>,
  inUse: LoadedDatabases | undefined,
): Result<LoadedDatabases, LoadFailure> {
  const rejected = loaded.ok ? loaded.value.rejected : [];
  const worse = inUse && rejected.find(({ replacement }) => !inUse.files.includes(replacement));
  return worse === undefined ? loaded : { ok: false, failure: worse };
}

/** Loads the newest usable files. Fails as {@link loadGeoIpDatabases} does if a database has no usable file. */
export async function loadDatabases(
  settings: GeoIpSettings,
  open?: OpenFiles,
): Promise<Result<LoadedDatabases, LoadFailure>> {
  const choices = await findDatabaseFiles(settings);
  const [city, asn] = await Promise.all([
    loadNewest("city", choices.city, open),
    loadNewest("asn", choices.asn, open),
  ]);
  if (!city.ok) {
    return city;
  }
  if (!asn.ok) {
    return asn;
  }
  const paths = { city: city.value.paths, asn: asn.value.paths };
  const databases = {
    city: city.value.databases.city,
    asn: asn.value.databases.asn,
    countrySources:
      `${paths.city}` === `${defaultGeoIpPaths().city}`
        ? await loadCountrySources(COUNTRY_SOURCES, open)
        : undefined,
  };
  return ok({
    databases,
    sources: geoIpSources(databases, await findOrigins(paths, settings), {
      city: settings.geoIpCityFiles && "GEOIP_CITY_FILES",
      asn: settings.geoIpAsnFiles && "GEOIP_ASN_FILES",
    }),
    files: DATABASES.flatMap((database) => paths[database]),
    outdated: [...city.value.outdated, ...asn.value.outdated],
    rejected: [...city.value.rejected, ...asn.value.rejected],
  });
}

/** The newest usable files of one database. */
interface NewestFiles extends Pick<LoadedDatabases, "databases" | "outdated" | "rejected"> {
  readonly paths: readonly string[];
}

/** Loads the first files that are usable. Fails with what is wrong with each. */
async function loadNewest(
  database: DatabaseName,
  choices: readonly ChosenFiles[],
  open: OpenFiles | undefined,
): Promise<Result<NewestFiles, LoadFailure>> {
  const failures: LoadFailure[] = [];
  for (const [index, { name, paths }] of choices.entries()) {
    const loaded = await loadGeoIpDatabases(
      { city: [], asn: [], [database]: paths },
      { city: name, asn: name },
      open,
    );
    if (loaded.ok) {
      const older = choices.slice(index + 1).filter((choice) => choice.name === "DATA_DIR");
      return ok({
        databases: loaded.value,
        paths,
        outdated: older.flatMap((choice) => choice.paths),
        rejected: failures.map((failure) => ({ ...failure, replacement: paths.join(", ") })),
      });
    }
    failures.push(loaded.failure);
  }
  const description = failures.map((failure) => failure.description).join("; ");
  return fail(failures[0]?.reason ?? "FILE_NOT_FOUND", description);
}
