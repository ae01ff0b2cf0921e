import { type IpAddress, lastAddress, lowestAddress } from "../../text/ip-address.js";
import { type AsnRecord, type Location, NOWHERE, readLocation } from "./databases/records.js";
import { type CountryOfPlace, type PlaceDetails, placeDetailsReader } from "./details/place-details.js";
import type { GeoIpDatabases } from "./lookup-ip.js";
import { type SegmentDatabases, segmentsOf } from "./segments.js";

/** A range of addresses with the same data. Unknown values are as in `IpInfo`, and undefined in the details. */
export interface NetworkRange extends Location {
  readonly first: IpAddress;
  readonly last: IpAddress;
  /** The prefix length if the range is a single network of the data. */
  readonly prefixLength: number | undefined;
  readonly details: Pick<PlaceDetails, "region" | "regionCode" | "city" | "timeZone">;
  readonly asn: AsnRecord | undefined;
}

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
 * data are one range. Throws {@link DamagedData}.
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

/** The networks of one address family. */
function* rangesOf(family: 4 | 6, databases: SegmentDatabases<Place>): Generator<NetworkRange> {
  let range: OpenRange | undefined;
  for (const segment of segmentsOf(databases, lowestAddress(family), 0)) {
    const { address, prefixLength, isReserved, place, asn } = segment;
    const hasData = !isReserved && (place?.location ?? asn) !== undefined;
    const found = place ?? NO_PLACE;
    if (range !== undefined && hasData && haveSameData(range, found, asn)) {
      range.end = address;
      range.endLength = prefixLength;
      range.isNetwork = false;
    } else {
      if (range !== undefined) {
        yield closed(range);
      }
      range = hasData
        ? { place: found, asn, first: address, end: address, endLength: prefixLength, isNetwork: true }
        : undefined;
    }
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
