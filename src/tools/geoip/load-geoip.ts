import { open as openFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { loadDataFiles } from "connect-transcoding-operations/files/data-files";
import { DATABASES, type DatabaseName, folderPaths, readProvenance } from "../../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import type { DataSource, SharedFiles, Tool, ToolEnvironment, ToolModule } from "../tool.js";
import { buildDateOf } from "./databases/load-build-date.js";
import type { DatabaseFile } from "./databases/load-database-file.js";
import {
  type GeoIpPaths,
  type LoadFailure,
  loadCountrySources,
  loadGeoIpDatabases,
  MAX_NETWORKS,
  noOpenFiles,
  type OpenFiles,
  openFilesByPath,
} from "./databases/load-databases.js";
import type { CountryOfPlace } from "./details/place-details.js";
import { geoIpService } from "./geoip-service.js";
import {
  geoIpSources,
  INSTALLED_ORIGINS,
  type KnownOrigins,
  type Origin,
  originOfSource,
  TIME_ZONES,
} from "./geoip-sources.js";
import type { GeoIpDatabases } from "./lookup-ip.js";

/** The settings of the Geo IP tool. */
export interface GeoIpSettings {
  /** MMDB files with locations; undefined: the newest usable one of that in `dataDir` and the installed one. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems, likewise. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** The folder of the files that `update-data` has downloaded. It may not exist. */
  readonly dataDir: string;
}

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
  const open = noOpenFiles(sharedFiles, (path) =>
    isInstalled(path) ? (sharedFiles === undefined ? INSTALLED_TRIAL : 0) : MAX_NETWORKS,
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

function isInstalled(path: string): boolean {
  return Object.values(defaultGeoIpPaths()).flat().includes(path);
}

/**
 * Returns a function that loads the files of which lookups read pages so far. Each is loaded into the memory of one that is not open any more if that suffices: a second
 * copy exceeds what a small container has.
 */
function createLoadRest(open: OpenFiles): () => Promise<void> {
  const memories = new Map<DatabaseFile<unknown>, Buffer>();
  return async () => {
    const files = [open.city, open.asn, open.countrySources].flatMap((each): DatabaseFile<unknown>[] => [
      ...each.values(),
    ]);
    for (const file of files) {
      const pages = file.pages();
      if (pages !== undefined) {
        const unused = [...memories].filter(([each]) => !files.includes(each));
        const [reused] = unused
          .filter(([, memory]) => memory.length >= file.size)
          .sort(([, one], [, other]) => one.length - other.length);
        memories.delete(reused?.[0] ?? file);
        memories.set(file, reused?.[1] ?? pages);
        // After a failure, lookups still read the pages of the file.
        await file.load(reused?.[1] ?? pages).catch(() => {});
      }
    }
    for (const file of [...memories.keys()].filter((each) => !files.includes(each))) {
      memories.delete(file);
    }
  };
}

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

/** Files of one database. */
export interface ChosenFiles {
  readonly paths: readonly string[];
  /** The setting that has chosen the files, for messages. */
  readonly name: string;
}

/**
 * Returns the paths of the installed files: locations from DB-IP in columns, and autonomous systems from origin-asn. `npm ci`
 * decompresses both. The files may not exist.
 */
export function defaultGeoIpPaths(): GeoIpPaths {
  const data = join(PACKAGE_FOLDER, "data");
  return { city: [join(data, "city.columns")], asn: [join(data, "asn.mmdb")] };
}

/**
 * Returns the files of each database: those of the settings; otherwise the file in the data folder and the installed one, the newer
 * one first. An upgrade of the service thus never goes back to older data.
 */
export async function findDatabaseFiles({
  geoIpCityFiles,
  geoIpAsnFiles,
  dataDir,
}: GeoIpSettings): Promise<Readonly<Record<DatabaseName, readonly ChosenFiles[]>>> {
  const [city, asn] = await Promise.all([
    geoIpCityFiles ? [{ paths: geoIpCityFiles, name: "GEOIP_CITY_FILES" }] : filesByAge("city", dataDir),
    geoIpAsnFiles ? [{ paths: geoIpAsnFiles, name: "GEOIP_ASN_FILES" }] : filesByAge("asn", dataDir),
  ]);
  return { city, asn };
}

async function filesByAge(database: DatabaseName, folder: string): Promise<readonly ChosenFiles[]> {
  const { file } = folderPaths(folder, database);
  const installed = { paths: defaultGeoIpPaths()[database], name: "installed files" };
  if ((await lengthOf(file)) === undefined) {
    return [installed];
  }
  const inFolder = { paths: [file], name: "DATA_DIR" };
  const [downloadedAt, installedAt] = await Promise.all(
    [file, installed.paths[0] ?? ""].map((path) => buildDateOf(path)),
  );
  // A file without a date comes first, so that it is rejected with its reason.
  return downloadedAt !== undefined && installedAt !== undefined && downloadedAt < installedAt
    ? [installed, inFolder]
    : [inFolder, installed];
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
  paths: GeoIpPaths,
  { dataDir }: Pick<GeoIpSettings, "dataDir">,
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

/** The number of bytes of each file that are compared at once. */
const COMPARED_BYTES = 1_048_576;

/** Whether two files have the same content. A file that cannot be read is not the same as any other. */
async function areEqual(path: string, other: string): Promise<boolean> {
  const files = await Promise.all([path, other].map((each) => openFile(each).catch(() => undefined)));
  const buffers = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)] as const;
  try {
    for (let position = 0; ; position += COMPARED_BYTES) {
      const [one, two] = await Promise.all(
        buffers.map((buffer, index) => files[index]?.read(buffer, 0, COMPARED_BYTES, position)),
      );
      const length = one?.bytesRead;
      if (
        length === undefined ||
        length !== two?.bytesRead ||
        !buffers[0].subarray(0, length).equals(buffers[1].subarray(0, length))
      ) {
        return false;
      }
      if (length < COMPARED_BYTES) {
        return true;
      }
    }
  } catch {
    return false;
  } finally {
    await Promise.all(files.map((file) => file?.close()));
  }
}

/** The length of a file in bytes; undefined if there is none. */
function lengthOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
