import type { IpAddress } from "./ip-address.js";
import type { MmdbAnswer, MmdbReader } from "./mmdb-reader.js";

/** The databases for one kind of data, by the family of addresses that each is asked for. */
export interface ReadersByFamily {
  readonly 4: MmdbReader | undefined;
  readonly 6: MmdbReader | undefined;
}

/** What look-ups need. */
export interface GeoIpDatabases {
  /** Locations. */
  readonly city: ReadersByFamily;
  /** Autonomous systems. */
  readonly asn: ReadersByFamily;
}

const NOTHING: MmdbAnswer = { record: null, prefixLength: 0 };

/** Asks the database for the address's family; without one, nothing is known of any address. */
export function lookupByFamily(readers: ReadersByFamily, address: IpAddress): MmdbAnswer {
  return readers[address.family]?.lookup(address) ?? NOTHING;
}
