import type { IpAddress } from "../../../text/ip-address.js";
import { type BlockSource, DamagedData } from "./block-source.js";
import type { MmdbReader, MmdbResult } from "./mmdb-reader.js";

/** A database that is open in a source. */
export interface OpenDatabase
  extends Pick<MmdbReader<unknown>, "ipVersion" | "databaseType" | "description" | "builtAt"> {
  /** Returns a function that looks up addresses, with a cache of its own. It throws {@link DamagedData} for what it cannot read. */
  readonly lookups: <T>(
    convert: (record: unknown) => T | undefined,
    cachedRecords: number,
  ) => (address: IpAddress) => MmdbResult<T>;
}

/**
 * Returns a reader of a database that `open` opens: in the source, and later in those that the reader moves to. Throws what `open` throws. Lookups do not throw
 * {@link DamagedData}.
 */
export function movableReader<T>(
  source: BlockSource,
  open: (source: BlockSource) => OpenDatabase,
  read: (record: unknown) => T | undefined,
  cachedRecords: number,
): MmdbReader<T> {
  let database = open(source);
  const { ipVersion, databaseType, description, builtAt } = database;
  const readerOf = <U>(convert: (record: unknown) => U | undefined, cached: number): MmdbReader<U> => {
    let own = database;
    let lookUp = own.lookups(convert, cached);
    return {
      ipVersion,
      databaseType,
      description,
      builtAt,
      lookup(address) {
        if (own !== database) {
          own = database;
          lookUp = own.lookups(convert, cached);
        }
        try {
          return lookUp(address);
        } catch (error) {
          return { record: undefined, prefixLength: 0, damage: damageOf(error) };
        }
      },
      withRecords: readerOf,
      move: (other) => {
        database = open(other);
      },
    };
  };
  return readerOf(read, cachedRecords);
}

/** Returns what {@link DamagedData} says of a database. Throws any other error. */
export function damageOf(error: unknown): string {
  if (error instanceof DamagedData) {
    return error.message;
  }
  throw error;
}
