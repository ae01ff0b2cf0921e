import { type AddressBytes, type IpAddress, lowestAddress } from "../../../text/ip-address.js";
import { type BlockSource, DamagedData } from "./block-source.js";

/** The result of a lookup. */
export interface MmdbResult<T> {
  /** The content of the record; undefined if there is no record, or no content, or if it cannot be read. */
  readonly record: T | undefined;
  /** The prefix length of the network that the search tree has for the address. Its addresses all have this result. */
  readonly prefixLength: number;
  /** Why the record cannot be read. */
  readonly damage?: string;
}

/** An open database. */
export interface MmdbReader<T> {
  /** 4: only IPv4 addresses. 6: IPv6 addresses, and possibly IPv4 addresses. */
  readonly ipVersion: 4 | 6;
  /** The publisher's name for this kind of database. */
  readonly databaseType: string;
  /** The publisher's description in English; empty if there is none. */
  readonly description: string;
  /** The build date. */
  readonly builtAt: Date;
  /** Looks up an address. In a database without IPv6, an IPv6 address has no record, and prefix length 0. */
  lookup(address: AddressBytes): MmdbResult<T>;
  /**
   * Returns the first address of each network of a family whose record may have a number, also as text: `15169` or `AS15169`. They are in the order of
   * addresses, and in steps that take less than a millisecond each. The database may move between steps. Throws {@link DamagedData} if any record or
   * the search tree is damaged. A database in columns has no numbers.
   */
  networksWith(number: number, family: 4 | 6): Iterable<readonly IpAddress[]>;
  /** Reads the same database from another source from now on, for all readers of it. Throws `DamagedData` if it is damaged. */
  move(source: BlockSource): void;
  /** Returns a reader of the same database that converts records with another function and has its own cache. */
  withRecords<U>(read: (record: unknown) => U | undefined, cachedRecords: number): MmdbReader<U>;
}

/** A database that is open in a source. */
export interface OpenDatabase
  extends Pick<MmdbReader<unknown>, "ipVersion" | "databaseType" | "description" | "builtAt"> {
  /** Returns a function that looks up addresses, with a cache of its own. It throws {@link DamagedData} for what it cannot read. */
  readonly lookups: <T>(
    convert: (record: unknown) => T | undefined,
    cachedRecords: number,
  ) => (address: AddressBytes) => MmdbResult<T>;
  /** The search of {@link MmdbReader.networksWith}; undefined in a database in columns. */
  readonly search?: NetworkSearch;
}

/** A search in steps, which keep nothing of the database between them. */
export interface NetworkSearch {
  /** Returns the addresses that one step finds, and where the next one starts; undefined after the last one. */
  readonly step: (
    family: 4 | 6,
    number: number,
    from: readonly number[],
    known: Uint32Array,
  ) => { readonly found: readonly IpAddress[]; readonly next: readonly number[] | undefined };
  /** Returns the memory of the steps of one search. */
  readonly known: () => Uint32Array;
  /** At least the steps through a database, unless there are several ways to a node of its search tree. */
  readonly maxSteps: number;
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
      *networksWith(number, family) {
        let from: readonly number[] | undefined = lowestAddress(family).bytes;
        const known = database.search?.known() ?? new Uint32Array();
        for (let steps = 0; from !== undefined && database.search !== undefined; steps++) {
          if (steps > database.search.maxSteps) {
            throw new DamagedData("its search tree has several ways to the same node");
          }
          const step = database.search.step(family, number, from, known);
          yield step.found;
          from = step.next;
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
