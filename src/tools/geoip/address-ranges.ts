import { bytesBefore } from "../../text/address-range.js";
import { type AddressBytes, lowestAddress } from "../../text/ip-address.js";
import { type AsnRecord, type Location, NOWHERE, readLocation } from "./databases/records.js";
import { type CountryOfPlace, type PlaceDetails, placeDetailsReader } from "./details/place-details.js";
import type { GeoIpDatabases } from "./lookup-ip.js";
import { type SegmentDatabases, segmentsOf } from "./segments.js";

/** What a location database has of a network. Unknown values are as in `IpInfo`, and undefined in the details. */
interface Place extends Location {
  readonly details: Pick<PlaceDetails, "region" | "regionCode" | "city" | "timeZone">;
  /** Whether a lookup finds it: the details alone are not enough. */
  readonly isFound: boolean;
}

/** A range of addresses with the same data. */
export interface AddressRange {
  readonly first: AddressBytes;
  readonly last: AddressBytes;
  readonly place: Place;
  readonly asn: AsnRecord | undefined;
}

/** The number of cached places, about 300 bytes each. */
const CACHED_PLACES = 32_768;

const NO_DETAILS = { region: undefined, regionCode: undefined, city: undefined, timeZone: undefined };
const NO_PLACE: Place = { ...NOWHERE, details: NO_DETAILS, isFound: false };

/** The addresses around ::ffff:0:0/96, the place of IPv4 among the addresses of 16 bytes. */
const BEFORE_MAPPED: AddressBytes = {
  family: 6,
  bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff],
};
const AFTER_MAPPED: AddressBytes = { family: 6, bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] };

/**
 * Returns ranges that have each address once, in the order of addresses of 16 bytes, with the data of `lookupIp`. Addresses without data are in
 * ranges of unknown values. Neighboring networks with the same data are one range. Throws `DamagedData`.
 *
 * @param countries the data for regions and time zones
 */
export function* addressRanges(
  databases: GeoIpDatabases,
  countries: readonly CountryOfPlace[],
): Generator<AddressRange> {
  const readDetails = placeDetailsReader(countries);
  const readPlace = (record: unknown): Place => {
    const { region, regionCode, city, timeZone } = readDetails(record) ?? NO_DETAILS;
    const location = readLocation(record);
    const details = { region, regionCode, city, timeZone };
    return { ...(location ?? NOWHERE), details, isFound: location !== undefined };
  };
  const { 4: ipv4, 6: ipv6 } = databases.city;
  const four = ipv4?.withRecords(readPlace, CACHED_PLACES);
  const city = { 4: four, 6: ipv6 === ipv4 ? four : ipv6?.withRecords(readPlace, CACHED_PLACES) };
  yield { first: lowestAddress(6), last: BEFORE_MAPPED, place: NO_PLACE, asn: undefined };
  yield* rangesFrom(lowestAddress(4), { city, asn: databases.asn });
  yield* rangesFrom(AFTER_MAPPED, { city, asn: databases.asn });
}

/** The ranges from an address to the last one of its family. */
function* rangesFrom(start: AddressBytes, databases: SegmentDatabases<Place>): Generator<AddressRange> {
  let range: OpenRange | undefined;
  for (const { address, isReserved, place: found, asn: system } of segmentsOf(databases, start, 0)) {
    const asn = isReserved ? undefined : system;
    const hasPlace = !isReserved && (found?.isFound || asn !== undefined);
    const place = (hasPlace ? found : undefined) ?? NO_PLACE;
    if (range === undefined || !haveSameData(range, place, asn)) {
      if (range !== undefined) {
        yield closed(range, address);
      }
      range = { first: { ...address, bytes: address.bytes.slice() }, place, asn };
    }
  }
  if (range !== undefined) {
    yield closed(range, lowestAddress(start.family));
  }
}

type OpenRange = Omit<AddressRange, "last">;

/** Returns a range that ends before an address. */
function closed({ first, place, asn }: OpenRange, { family, bytes }: AddressBytes): AddressRange {
  return { first, last: { family, bytes: bytesBefore(bytes) }, place, asn };
}

function haveSameData({ place, asn }: OpenRange, other: Place, otherAsn: AsnRecord | undefined): boolean {
  return (
    asn?.number === otherAsn?.number &&
    asn?.name === otherAsn?.name &&
    (place === other ||
      (place.coords.lat === other.coords.lat &&
        place.coords.lon === other.coords.lon &&
        place.location.country === other.location.country &&
        place.details.city === other.details.city &&
        place.details.region === other.details.region &&
        place.details.regionCode === other.details.regionCode &&
        place.details.timeZone === other.details.timeZone))
  );
}
