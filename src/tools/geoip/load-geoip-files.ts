import { open as openFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DATABASES, type DatabaseName, folderPaths, readProvenance } from "../../data-files/data-folder.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { buildDateOf } from "./databases/load-build-date.js";
import type { GeoIpPaths } from "./databases/load-databases.js";
import { INSTALLED_ORIGINS, type KnownOrigins, type Origin, originOfSource } from "./geoip-sources.js";

/** The settings of the Geo IP tool. */
export interface GeoIpSettings {
  /** MMDB files with locations; undefined: the newest usable one of that in `dataDir` and the installed one. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems, likewise. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** The folder of the files that `update-data` has downloaded. It may not exist. */
  readonly dataDir: string;
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
