import type { IpAddress } from "../../ip-address.js";
import type { AsnRecord } from "./asn-record.js";
import type { Location } from "./location.js";
import type { MmdbAnswer, MmdbReader } from "./mmdb-reader.js";

/** The databases for one kind of data, by the family of addresses that each is asked for. */
export interface ReadersByFamily<T> {
  readonly 4: MmdbReader<T> | undefined;
  readonly 6: MmdbReader<T> | undefined;
}

/** What look-ups need. Nothing in it changes: newer data is another object. */
export interface GeoIpDatabases {
  /** Locations. */
  readonly city: ReadersByFamily<Location>;
  /** Autonomous systems. */
  readonly asn: ReadersByFamily<AsnRecord>;
}

const NOTHING = { record: undefined, prefixLength: 0 };

/** Asks the database for the address's family; without one, nothing is known of any address. */
export function lookupByFamily<T>(readers: ReadersByFamily<T>, address: IpAddress): MmdbAnswer<T> {
  return readers[address.family]?.lookup(address) ?? NOTHING;
}
