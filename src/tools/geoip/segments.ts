import { moveToNext } from "../../text/address-range.js";
import { type AddressBytes, networkOf } from "../../text/ip-address.js";
import { DamagedData } from "./databases/block-source.js";
import type { MmdbResult } from "./databases/movable-reader.js";
import type { AsnRecord } from "./databases/records.js";
import { isAllocatedSince, lookupByFamily, type ReadersByFamily } from "./lookup-ip.js";
import { findSpecialPurpose, NOT_ALLOCATED, type SpecialPurposeResult } from "./special-purpose.js";

/** A part of a network, whose addresses all have the same data. */
export interface Segment<T> {
  /** Its first address, whose bytes are valid until the next segment is requested. */
  readonly address: AddressBytes;
  readonly prefixLength: number;
  /** Whether lookups have no data for its addresses, because they are special-purpose or not allocated. */
  readonly isReserved: boolean;
  readonly place: T | undefined;
  readonly asn: AsnRecord | undefined;
}

/** The databases that {@link segmentsOf} asks. */
export interface SegmentDatabases<T> {
  readonly city: ReadersByFamily<T>;
  readonly asn: ReadersByFamily<AsnRecord>;
}

const UNKNOWN = { record: undefined, block: undefined, prefixLength: 0 } as const;

/**
 * Returns the segments of a network, in the order of addresses. A database is asked again only where the network of its last result
 * ends. Throws {@link DamagedData} for a segment whose record in a database is damaged.
 *
 * @param length the prefix length of the network, whose first address is given
 */
export function* segmentsOf<T>(
  databases: SegmentDatabases<T>,
  { family, bytes: first }: AddressBytes,
  length: number,
): Generator<Segment<T>> {
  let [block, place, system]: [SpecialPurposeResult, MmdbResult<T>, MmdbResult<AsnRecord>] = [
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
  ];
  const bytes = first.slice();
  const address: AddressBytes = { family, bytes };
  /** The leading bits that the address shares with the one before; none for the first one, which no result is for. */
  let shared: number | undefined = -1;
  do {
    block = block.prefixLength > shared ? findSpecialPurpose(address) : block;
    place = place.prefixLength > shared ? lookupByFamily(databases.city, address) : place;
    system = system.prefixLength > shared ? lookupByFamily(databases.asn, address) : system;
    const isKnownBlock = block.block !== undefined && block.block.name !== NOT_ALLOCATED;
    const prefixLength: number = isKnownBlock
      ? Math.max(length, block.prefixLength)
      : Math.max(length, block.prefixLength, place.prefixLength, system.prefixLength);
    const isReserved =
      block.block !== undefined && (isKnownBlock || !isAllocatedSince(address, databases.asn));
    if (!isReserved && (place.damage ?? system.damage) !== undefined) {
      throw new DamagedData(`the geolocation data of ${networkOf(address, prefixLength)} is damaged`);
    }
    yield { address, prefixLength, isReserved, place: place.record, asn: system.record };
    shared = moveToNext(bytes, prefixLength);
  } while (shared !== undefined && shared >= length);
}
