import { fail, ok, type Result } from "../../../../failures/result.js";
import type { BlockSource } from "../block-source.js";
import { CACHED_RECORDS, type MmdbFailure } from "../mmdb-reader.js";
import { damageOf, type MmdbReader, movableReader, type OpenDatabase } from "../movable-reader.js";
import { readHeader } from "./columns-parts.js";
import { locationReader } from "./location-reader.js";
import { addressFinder } from "./range-finder.js";

/**
 * Opens a database in columns. `read` converts a record, which has `country_code`, `state1`, `city`, `latitude` and `longitude`, as
 * for `openMmdb`.
 *
 * Checks the header and the lengths of the parts. A lookup checks all that it reads, and fails if it finds damage. It reads a limited
 * number of bytes of any file, and never throws.
 */
export function openColumns<T>(
  source: BlockSource,
  read: (record: unknown) => T | undefined,
  cachedRecords = CACHED_RECORDS,
): Result<MmdbReader<T>, MmdbFailure> {
  try {
    return ok(movableReader(source, openSource, read, cachedRecords));
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: ${damageOf(error)}`);
  }
}

function openSource(source: BlockSource): OpenDatabase {
  const { databaseType, description, builtAt, locations, part } = readHeader(source);
  const find = addressFinder(source, part);
  const recordOf = locationReader(source, part, locations);
  return {
    ipVersion: 6,
    databaseType,
    description,
    builtAt,
    lookups(convert, cached) {
      const converted = cachedReader((id) => convert(recordOf(id)), locations, cached);
      return (address) => {
        const { id, prefixLength } = find(address);
        return { record: id === 0 ? undefined : converted(id), prefixLength };
      };
    },
  };
}

/** The lookups before records are cached: one slot for each location takes a few milliseconds. */
const UNCACHED_LOOKUPS = 64;

/** Returns a function that keeps what `convert` returns for a location. */
function cachedReader<T>(
  convert: (id: number) => T | undefined,
  locations: number,
  cached: number,
): (id: number) => T | undefined {
  // One slot for each location. They are cleared when many are in use: no order of use has to be kept.
  let records: (T | null | undefined)[] | undefined;
  let used = 0;
  let lookups = 0;
  return (id) => {
    if (records === undefined) {
      if (++lookups === UNCACHED_LOOKUPS) {
        records = new Array<T | null | undefined>(locations).fill(undefined);
      }
      return convert(id);
    }
    let record = records[id];
    if (record === undefined) {
      if (used++ === cached) {
        records.fill(undefined);
        used = 1;
      }
      record = convert(id) ?? null;
      records[id] = record;
    }
    return record ?? undefined;
  };
}
