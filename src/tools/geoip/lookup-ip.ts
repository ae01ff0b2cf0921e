import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { type AddressBytes, type IpAddress, networkOf } from "../../text/ip-address.js";
import { ALLOCATED_EDITION } from "./allocated-blocks.js";
import type { MmdbReader, MmdbResult } from "./databases/movable-reader.js";
import { type AsnRecord, type CountrySource, type Location, NOWHERE } from "./databases/records.js";
import { findSpecialPurpose, NOT_ALLOCATED } from "./special-purpose.js";

/** The databases for one kind of data, by the address family they are used for. */
export interface ReadersByFamily<T> {
  readonly 4: MmdbReader<T> | undefined;
  readonly 6: MmdbReader<T> | undefined;
}

/** The databases of lookups. Immutable: a reload creates another object. */
export interface GeoIpDatabases {
  /** Locations. */
  readonly city: ReadersByFamily<Location>;
  /** Autonomous systems. */
  readonly asn: ReadersByFamily<AsnRecord>;
  /** The countries in other tables where they contradict the installed locations; undefined with other locations. */
  readonly countrySources?: MmdbReader<readonly CountrySource[]> | undefined;
}

/** The data about an address. Unknown values are empty, false or zero. */
export interface IpInfo extends Location {
  /** The address in canonical form. */
  readonly ip: string;
  /** The number of the autonomous system. */
  readonly asn: number;
  /** Its name. */
  readonly asnName: string;
  /**
   * A network around the address whose addresses all have this data, in CIDR notation: the narrowest of those that the
   * sources have. The networks beside it can have the same data.
   */
  readonly subnet: string;
}

/**
 * Why there is no data. `RESERVED_ADDRESS` has metadata: `range`, `block` and `reference` of the special-purpose or
 * unallocated block.
 * `DATA_CORRUPTED`: a database has a record, and it is damaged.
 */
export type LookupFailure = Failure<"RESERVED_ADDRESS" | "ADDRESS_NOT_FOUND" | "DATA_CORRUPTED">;

/**
 * Looks up an address. Rejects special-purpose and unallocated addresses first, because databases have records for some of
 * them; an address with an autonomous system in a file that is newer than the list of allocated blocks is not unallocated. A location
 * or an autonomous system alone is enough.
 *
 * The prefix of the subnet is the longest of three: those for which the city database, the ASN database and the table
 * of reserved blocks each have the same result. "No record" is a result too.
 */
export function lookupIp(address: IpAddress, databases: GeoIpDatabases): Result<IpInfo, LookupFailure> {
  const { block, prefixLength } = findSpecialPurpose(address);
  if (block !== undefined && !(block.name === NOT_ALLOCATED && isAllocatedSince(address, databases.asn))) {
    const { name: range, block: cidr, reference } = block;
    return fail(
      "RESERVED_ADDRESS",
      range === NOT_ALLOCATED
        ? `${address.text} is in a block that is not allocated to anyone (${cidr}, ${reference})`
        : `${address.text} is a special-purpose address: ${range} (${cidr}, ${reference})`,
      { range, block: cidr, reference },
    );
  }
  const city = lookupByFamily(databases.city, address);
  const system = lookupByFamily(databases.asn, address);
  if (city.damage !== undefined || system.damage !== undefined) {
    return damagedData(address);
  }
  const { record: place, prefixLength: cityLength } = city;
  const { record: asn, prefixLength: asnLength } = system;
  if (place === undefined && asn === undefined) {
    return fail("ADDRESS_NOT_FOUND", `no data for ${address.text}`);
  }
  const { location, coords } = place ?? NOWHERE;
  return ok({
    ip: address.text,
    location,
    asn: asn?.number ?? 0,
    asnName: asn?.name ?? "",
    coords,
    subnet: networkOf(address, Math.max(cityLength, asnLength, prefixLength)),
  });
}

/** The failure of a lookup that finds damage. */
export function damagedData({ text }: IpAddress): Result<never, LookupFailure> {
  return fail("DATA_CORRUPTED", `the geolocation data of ${text} is damaged`);
}

const ALLOCATED_AT = Date.parse(ALLOCATED_EDITION);
/** The prefix length of the largest blocks that IANA allocates. Records of larger networks fill space without data. */
const LARGEST_BLOCK = 12;

/** Whether an address is in a block that IANA has allocated after the program's list: a newer ASN file has a record of it. */
export function isAllocatedSince(address: AddressBytes, asn: ReadersByFamily<AsnRecord>): boolean {
  const reader = asn[address.family];
  if (reader === undefined || !(reader.builtAt.getTime() > ALLOCATED_AT)) {
    return false;
  }
  const { record, prefixLength } = reader.lookup(address);
  return record !== undefined && prefixLength >= LARGEST_BLOCK;
}

const NO_RECORD: MmdbResult<never> = { record: undefined, prefixLength: 0 };

/** Looks up an address in the database of its family. */
export function lookupByFamily<T>(readers: ReadersByFamily<T>, address: AddressBytes): MmdbResult<T> {
  return readers[address.family]?.lookup(address) ?? NO_RECORD;
}
