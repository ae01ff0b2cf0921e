import { fail, ok, type Result } from "../../../failures/result.js";
import { type BlockSource, DamagedData } from "./block-source.js";
import { readHeader } from "./columns-parts.js";
import { locationReader } from "./location-reader.js";
import { CACHED_RECORDS, type MmdbFailure, type MmdbReader, type MmdbResult } from "./mmdb-reader.js";
import { addressFinder } from "./range-finder.js";

/** An open database in columns. */
export interface ColumnsReader<T> extends MmdbReader<T> {
  /** Reads the same database from another source from now on, for all readers of it. Throws {@link DamagedData} if it is damaged. */
  move(source: BlockSource): void;
}

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
): Result<ColumnsReader<T>, MmdbFailure> {
  try {
    let database = openSource(source);
    const { databaseType, description, builtAt } = database;
    const readerOf = <U>(convert: (record: unknown) => U | undefined, cached: number): ColumnsReader<U> => {
      let recordOf = cachedReader(database, convert, cached);
      let own = database;
      return {
        ipVersion: 6,
        databaseType,
        description,
        builtAt,
        lookup(address): MmdbResult<U> {
          if (own !== database) {
            recordOf = cachedReader(database, convert, cached);
            own = database;
          }
          try {
            const { id, prefixLength } = own.find(address);
            return { record: id === 0 ? undefined : recordOf(id), prefixLength };
          } catch (error) {
            return { record: undefined, prefixLength: 0, damage: damageOf(error) };
          }
        },
        withRecords: readerOf,
        move: (other) => {
          database = openSource(other);
        },
      };
    };
    return ok(readerOf(read, cachedRecords));
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: ${damageOf(error)}`);
  }
}

type Database = ReturnType<typeof openSource>;

function openSource(source: BlockSource) {
  const header = readHeader(source);
  return {
    ...header,
    find: addressFinder(source, header.part),
    recordOf: locationReader(source, header.part, header.locations),
  };
}

/** The lookups before records are cached: one slot for each location takes a few milliseconds. */
const UNCACHED_LOOKUPS = 64;

/** Returns a function that reads and converts the record of a location. */
function cachedReader<T>(
  { locations, recordOf }: Database,
  convert: (record: unknown) => T | undefined,
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
      return convert(recordOf(id));
    }
    let record = records[id];
    if (record === undefined) {
      if (used++ === cached) {
        records.fill(undefined);
        used = 1;
      }
      record = convert(recordOf(id)) ?? null;
      records[id] = record;
    }
    return record ?? undefined;
  };
}

function damageOf(error: unknown): string {
  if (error instanceof DamagedData) {
    return error.message;
  }
  throw error;
}
