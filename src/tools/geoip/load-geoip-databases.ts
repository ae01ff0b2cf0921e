import { type Failure, fail, ok, type Result } from "../../result.js";
import { type ReadFailure, readRegularFile } from "../../service/data-files/read-regular-file.js";
import { readAsnRecord } from "./asn-record.js";
import type { GeoIpPaths } from "./default-geoip-paths.js";
import type { GeoIpDatabases, ReadersByFamily } from "./geoip-databases.js";
import { readLocation } from "./location.js";
import { type MmdbFailure, type MmdbReader, openMmdb } from "./mmdb-reader.js";
import { type TrialFailure, tryLookups } from "./trial-lookups.js";

/** Why the databases cannot be used; the description names the setting and the file. */
export type LoadFailure = ReadFailure | Failure<"DUPLICATE_IP_VERSION"> | MmdbFailure | TrialFailure;

/** What the lists of files are called where they were set, for failures. */
export type GeoIpPathNames = Readonly<Record<keyof GeoIpPaths, string>>;

/**
 * Opens the MMDB files, and tries each out. The metadata of a file says which addresses it has: IPv4 ones are
 * looked up in the file of version 4 if there is one, else in that of version 6, and IPv6 ones in that of
 * version 6. An empty list is allowed, as is a list without IPv6: nothing is known of those addresses then.
 *
 * Fails for the first file, in the order given, that cannot be used, and never throws.
 */
export async function loadGeoIpDatabases(
  paths: GeoIpPaths,
  names: GeoIpPathNames = { city: "city files", asn: "ASN files" },
): Promise<Result<GeoIpDatabases, LoadFailure>> {
  const [city, asn] = await Promise.all([
    loadReaders(paths.city, names.city, readLocation),
    loadReaders(paths.asn, names.asn, readAsnRecord),
  ]);
  if (!city.ok) {
    return city;
  }
  return asn.ok ? ok({ city: city.value, asn: asn.value }) : asn;
}

async function loadReaders<T>(
  paths: readonly string[],
  name: string,
  read: (record: unknown) => T | undefined,
): Promise<Result<ReadersByFamily<T>, LoadFailure>> {
  const readers = new Map<4 | 6, MmdbReader<T>>();
  for (const path of paths) {
    const loaded = await loadReader(path, read);
    if (!loaded.ok) {
      const { reason, description } = loaded.failure;
      return { ok: false, failure: { reason, description: `${name}: ${path} ${description}` } };
    }
    const { ipVersion } = loaded.value;
    if (readers.has(ipVersion)) {
      return fail(
        "DUPLICATE_IP_VERSION",
        `${name}: ${path} is the second file of IP version ${ipVersion}; at most one of version 4 and one of version 6 can be used`,
      );
    }
    readers.set(ipVersion, loaded.value);
  }
  return ok({ 4: readers.get(4) ?? readers.get(6), 6: readers.get(6) });
}

async function loadReader<T>(
  path: string,
  read: (record: unknown) => T | undefined,
): Promise<Result<MmdbReader<T>, LoadFailure>> {
  const bytes = await readRegularFile(path);
  if (!bytes.ok) {
    return bytes;
  }
  const reader = openMmdb(bytes.value, read);
  return reader.ok ? tryLookups(reader.value) : reader;
}
