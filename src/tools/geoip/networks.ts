import {
  addressAfter,
  addressBits,
  type IpAddress,
  ipAddress,
  lastAddress,
  networkOf,
} from "../../text/ip-address.js";
import type { MmdbResult } from "./databases/movable-reader.js";
import { type AsnRecord, type Location, NOWHERE, readLocation } from "./databases/records.js";
import { type CountryOfPlace, type PlaceDetails, placeDetailsReader } from "./details/place-details.js";
import { type GeoIpDatabases, isAllocatedSince, lookupByFamily, type ReadersByFamily } from "./lookup-ip.js";
import { findSpecialPurpose, NOT_ALLOCATED, type SpecialPurposeResult } from "./special-purpose.js";

/** A range of addresses with the same data. Unknown values are as in `IpInfo`, and undefined in the details. */
export interface NetworkRange extends Location {
  readonly first: IpAddress;
  readonly last: IpAddress;
  /** The prefix length if the range is a single network of the data. */
  readonly prefixLength: number | undefined;
  readonly details: Pick<PlaceDetails, "region" | "regionCode" | "city" | "timeZone">;
  readonly asn: AsnRecord | undefined;
}

/** Thrown for a network whose record in a database is damaged. */
export class DamagedNetwork extends Error {}

/** The number of cached places, about 300 bytes each. */
const CACHED_PLACES = 8_192;

/** What a location database has of a network. */
interface Place extends Pick<NetworkRange, "details"> {
  readonly location: Location | undefined;
  /** The values as text: comparing objects takes most of the time of an export. */
  readonly key: string;
}

/**
 * Returns the ranges of all addresses that `lookupIp` has data for, in the order of addresses, IPv4 first. Neighboring networks with the same
 * data are one range. Throws {@link DamagedNetwork}.
 *
 * @param countries the data for regions and time zones
 */
export function* rangesWithData(
  databases: GeoIpDatabases,
  countries: readonly CountryOfPlace[],
): Generator<NetworkRange> {
  const readDetails = placeDetailsReader(countries);
  const readPlace = (record: unknown): Place | undefined => {
    const { region, regionCode, city, timeZone } = readDetails(record) ?? NO_DETAILS;
    const details = { region, regionCode, city, timeZone };
    const location = readLocation(record);
    const key = JSON.stringify([location, details]);
    return key === NO_PLACE.key ? undefined : { location, details, key };
  };
  const { 4: ipv4, 6: ipv6 } = databases.city;
  const four = ipv4?.withRecords(readPlace, CACHED_PLACES);
  const city = { 4: four, 6: ipv6 === ipv4 ? four : ipv6?.withRecords(readPlace, CACHED_PLACES) };
  yield* rangesOf(4, { city, asn: databases.asn });
  yield* rangesOf(6, { city, asn: databases.asn });
}

const NO_DETAILS = { region: undefined, regionCode: undefined, city: undefined, timeZone: undefined };
const NO_PLACE: Place = {
  location: undefined,
  details: NO_DETAILS,
  key: JSON.stringify([undefined, NO_DETAILS]),
};
const UNKNOWN = { record: undefined, block: undefined, prefixLength: 0 } as const;

/** The networks of one address family. A database is asked again only where the network of its last result ends. */
function* rangesOf(
  family: 4 | 6,
  databases: { readonly city: ReadersByFamily<Place>; readonly asn: ReadersByFamily<AsnRecord> },
): Generator<NetworkRange> {
  let range: OpenRange | undefined;
  let [block, place, system]: [SpecialPurposeResult, MmdbResult<Place>, MmdbResult<AsnRecord>] = [
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
  ];
  /** The leading bits that an address shares with the one before; none for the first one, which no result is for. */
  let shared = -1;
  let address: IpAddress | undefined = ipAddress(new Array<number>(addressBits(family) / 8).fill(0));
  while (address !== undefined) {
    block = block.prefixLength > shared ? findSpecialPurpose(address) : block;
    place = place.prefixLength > shared ? lookupByFamily(databases.city, address) : place;
    system = system.prefixLength > shared ? lookupByFamily(databases.asn, address) : system;
    const isKnownBlock = block.block !== undefined && block.block.name !== NOT_ALLOCATED;
    const prefixLength = isKnownBlock
      ? block.prefixLength
      : Math.max(block.prefixLength, place.prefixLength, system.prefixLength);
    const isReserved =
      block.block !== undefined && (isKnownBlock || !isAllocatedSince(address, databases.asn));
    if (!isReserved && (place.damage ?? system.damage) !== undefined) {
      throw new DamagedNetwork(`the geolocation data of ${networkOf(address, prefixLength)} is damaged`);
    }
    const hasData = !isReserved && (place.record?.location ?? system.record) !== undefined;
    const { record: found = NO_PLACE } = place;
    if (range !== undefined && hasData && haveSameData(range, found, system.record)) {
      range.end = address;
      range.endLength = prefixLength;
      range.isNetwork = false;
    } else {
      if (range !== undefined) {
        yield closed(range);
      }
      range = hasData
        ? {
            place: found,
            asn: system.record,
            first: address,
            end: address,
            endLength: prefixLength,
            isNetwork: true,
          }
        : undefined;
    }
    const next = addressAfter(address, prefixLength);
    shared = next === undefined ? 0 : sharedBits(address.bytes, next.bytes);
    address = next;
  }
  if (range !== undefined) {
    yield closed(range);
  }
}

/** A range to which networks are added. */
interface OpenRange {
  readonly first: IpAddress;
  /** An address of its last network, and the prefix length of that. */
  end: IpAddress;
  endLength: number;
  /** Whether the range is a single network. */
  isNetwork: boolean;
  readonly place: Place;
  readonly asn: AsnRecord | undefined;
}

function closed({ first, end, endLength, isNetwork, place, asn }: OpenRange): NetworkRange {
  const prefixLength = isNetwork ? endLength : undefined;
  const { location, coords } = place.location ?? NOWHERE;
  return {
    first,
    last: lastAddress(end, endLength),
    prefixLength,
    location,
    coords,
    details: place.details,
    asn,
  };
}

function haveSameData({ place, asn }: OpenRange, other: Place, otherAsn: AsnRecord | undefined): boolean {
  return place.key === other.key && asn?.number === otherAsn?.number && asn?.name === otherAsn?.name;
}

/** The number of leading bits that two addresses have in common. */
function sharedBits(one: readonly number[], other: readonly number[]): number {
  let index = 0;
  while (one[index] === other[index]) {
    index++;
  }
  return 8 * index + Math.clz32((one[index] ?? 0) ^ (other[index] ?? 0)) - 24;
}
