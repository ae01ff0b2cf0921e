import { fingerprintOf } from "connect-transcoding-operations/files/data-files";
import type { ReadFailure } from "connect-transcoding-operations/files/read-regular-file";
import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import {
  addressAfter,
  addressBits,
  type IpAddress,
  ipAddress,
  lowestAddress,
} from "../../../text/ip-address.js";
import type { SharedFiles } from "../../tool.js";
import type { GeoIpDatabases, ReadersByFamily } from "../lookup-ip.js";
import { type DatabaseFile, openDatabaseFile } from "./load-database-file.js";
import type { MmdbFailure } from "./mmdb-reader.js";
import type { MmdbReader, MmdbResult } from "./movable-reader.js";
import {
  type AsnRecord,
  type CountrySource,
  type Location,
  readAsnRecord,
  readCountrySources,
  readLocation,
} from "./records.js";

/** The paths of the database files: MMDB files, or databases in columns. */
export interface GeoIpPaths {
  /** Locations: one file for both address families, or one for each. */
  readonly city: readonly string[];
  /** Autonomous systems, likewise. */
  readonly asn: readonly string[];
}

/** Why a database that opens is not usable. */
export type TrialFailure = Failure<"CORRUPT_MMDB" | "NO_USABLE_RECORDS">;

/** Why the databases are not usable; the description names the setting and the file. */
export type LoadFailure = ReadFailure | Failure<"DUPLICATE_IP_VERSION"> | MmdbFailure | TrialFailure;

/** The names of the path lists in failures. */
export type GeoIpPathNames = Readonly<Record<keyof GeoIpPaths, string>>;

/** Files that are open, by path, with what {@link fingerprintOf} returned before they were opened. */
type OpenFilesOf<T> = Map<string, OpenFile<T>>;
type OpenFile<T> = DatabaseFile<T> & { readonly fingerprint: string };

/** Open files of a service or of a command. */
export interface OpenFiles {
  readonly city: OpenFilesOf<Location>;
  readonly asn: OpenFilesOf<AsnRecord>;
  readonly countrySources: OpenFilesOf<readonly CountrySource[]>;
  /** The files that another thread has opened; undefined: no thread will share files. */
  readonly shared: SharedFiles | undefined;
  /** Returns the number of networks of a file that are tried before its use in a database; 0: none. */
  readonly trialOf: (path: string, database: keyof GeoIpPaths) => number;
}

/** What a file of each database has to have, for messages. */
const NEEDED: Readonly<Record<keyof GeoIpPaths, string>> = {
  city: "countries or coordinates",
  asn: "autonomous systems",
};

/** Returns no open files. */
export function noOpenFiles(
  shared?: SharedFiles,
  trialOf: OpenFiles["trialOf"] = () => MAX_NETWORKS,
): OpenFiles {
  return { city: new Map(), asn: new Map(), countrySources: new Map(), shared, trialOf };
}

/** Returns all open files by path. */
export function openFilesByPath({
  city,
  asn,
  countrySources,
}: OpenFiles): ReadonlyMap<string, DatabaseFile<unknown>> {
  return new Map<string, DatabaseFile<unknown>>([...city, ...asn, ...countrySources]);
}

/**
 * Opens the files, and tries each one. Those in `open` that have not changed are not opened again, and all that are opened are added. IPv4
 * addresses are looked up in the file whose metadata say version 4 if there is one, otherwise in that of version 6; IPv6 addresses in that of version 6. A list may be empty or have no IPv6: those
 * addresses have no records.
 *
 * Fails with the first unusable file, in the order given. Never throws.
 */
export async function loadGeoIpDatabases(
  paths: GeoIpPaths,
  names: GeoIpPathNames = { city: "city files", asn: "ASN files" },
  open: OpenFiles = noOpenFiles(),
): Promise<Result<GeoIpDatabases, LoadFailure>> {
  const [city, asn] = await Promise.all([
    loadReaders("city", paths, names, readLocation, open.city, open),
    loadReaders("asn", paths, names, readAsnRecord, open.asn, open),
  ]);
  if (!city.ok) {
    return city;
  }
  return asn.ok ? ok({ city: city.value, asn: asn.value }) : asn;
}

/** Opens the file with the countries in other tables. Returns undefined if it is missing or damaged: it is not needed. */
export async function loadCountrySources(
  path: string,
  open: OpenFiles = noOpenFiles(),
): Promise<MmdbReader<readonly CountrySource[]> | undefined> {
  const opened = await openOnce(path, readCountrySources, open.countrySources, open.shared);
  if (!opened.ok) {
    return undefined;
  }
  open.countrySources.set(path, opened.value);
  return opened.value.reader;
}

async function loadReaders<T>(
  database: keyof GeoIpPaths,
  paths: GeoIpPaths,
  names: GeoIpPathNames,
  read: (record: unknown) => T | undefined,
  open: OpenFilesOf<T>,
  use: Pick<OpenFiles, "shared" | "trialOf">,
): Promise<Result<ReadersByFamily<T>, LoadFailure>> {
  const readers = new Map<4 | 6, MmdbReader<T>>();
  const name = names[database];
  for (const path of paths[database]) {
    const loaded = await loadReader(path, database, read, open, use);
    if (!loaded.ok) {
      const { reason, description } = loaded.failure;
      return { ok: false, failure: { reason, description: `${name}: ${path} ${description}` } };
    }
    const { ipVersion } = loaded.value;
    if (readers.has(ipVersion)) {
      return fail(
        "DUPLICATE_IP_VERSION",
        `${name}: ${path} is the second file for IPv${ipVersion}; use at most one file for IPv4 and one for IPv6`,
      );
    }
    readers.set(ipVersion, loaded.value);
  }
  return ok({ 4: readers.get(4) ?? readers.get(6), 6: readers.get(6) });
}

async function loadReader<T>(
  path: string,
  database: keyof GeoIpPaths,
  read: (record: unknown) => T | undefined,
  open: OpenFilesOf<T>,
  { shared, trialOf }: Pick<OpenFiles, "shared" | "trialOf">,
): Promise<Result<MmdbReader<T>, LoadFailure>> {
  const opened = await openOnce(path, read, open, shared);
  if (!opened.ok) {
    return opened;
  }
  const { reader } = opened.value;
  const trial = open.get(path) === opened.value ? 0 : trialOf(path, database);
  const tried = trial === 0 ? ok(reader) : await tryLookups(reader, database, trial);
  if (tried.ok) {
    open.set(path, opened.value);
  }
  return tried;
}

/** Opens a file, unless it is open and has not changed. The caller adds it to `open`. */
async function openOnce<T>(
  path: string,
  read: (record: unknown) => T | undefined,
  open: OpenFilesOf<T>,
  shared: SharedFiles | undefined,
): Promise<Result<OpenFile<T>, ReadFailure | MmdbFailure>> {
  const fingerprint = await fingerprintOf([path]);
  const inUse = open.get(path);
  if (inUse?.fingerprint === fingerprint) {
    return ok(inUse);
  }
  const opened = await openDatabaseFile(path, read, shared?.get(path), shared !== undefined);
  return opened.ok ? ok({ ...opened.value, fingerprint }) : opened;
}

/** The number of networks to try, from the lowest address on. */
export const MAX_NETWORKS = 1_000;
/** The number of lookups, some milliseconds with cold code, before pending requests are processed. */
const LOOKUPS_PER_TURN = 128;

/**
 * Tries the lowest networks of a database and addresses from its whole range. Fails if one of these records is damaged, or
 * if none has content, as in a file of another kind. Yields to pending requests between lookups.
 */
export async function tryLookups<T>(
  reader: MmdbReader<T>,
  database: keyof GeoIpPaths,
  networks = MAX_NETWORKS,
): Promise<Result<MmdbReader<T>, TrialFailure>> {
  let isUsable = false;
  let count = 0;
  for (const { record, damage } of lookupsIn(reader, networks)) {
    if (damage !== undefined) {
      return fail("CORRUPT_MMDB", `is damaged: a lookup fails (${damage})`);
    }
    isUsable ||= record !== undefined;
    count += 1;
    if (count % LOOKUPS_PER_TURN === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return isUsable
    ? ok(reader)
    : fail("NO_USABLE_RECORDS", `has no ${NEEDED[database]}; its type is ${reader.databaseType}`);
}

/** Looks up the lowest networks one by one, then addresses from the whole range. */
function* lookupsIn<T>(reader: MmdbReader<T>, networks: number): Iterable<MmdbResult<T>> {
  let address: IpAddress | undefined = lowestAddress(reader.ipVersion);
  for (let count = 0; address !== undefined && count < networks; count++) {
    const result: MmdbResult<T> = reader.lookup(address);
    yield result;
    address = addressAfter(address, result.prefixLength);
  }
  for (const spread of spreadAddresses(reader.ipVersion, Math.min(256, networks))) {
    yield reader.lookup(spread);
  }
}

/** Returns at most 256 addresses. Those of IPv6 are in 2000::/4, which has all allocated addresses. */
function spreadAddresses(family: 4 | 6, count: number): IpAddress[] {
  const tail = new Array<number>(addressBits(family) / 8 - 2).fill(0);
  return Array.from({ length: count }, (_, number) => {
    const index = Math.floor((256 * number) / count);
    return ipAddress(
      family === 4 ? [index, 0x80, ...tail] : [0x20 | (index >> 4), (index << 4) & 0xff, ...tail],
    );
  });
}
