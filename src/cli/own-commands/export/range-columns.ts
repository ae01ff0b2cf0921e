import { moveToNext, prefixLengths } from "../../../text/address-range.js";
import { type AddressBytes, addressText } from "../../../text/ip-address.js";
import type { AddressRange } from "../../../tools/geoip/address-ranges.js";
import type { ExportColumn } from "./table.js";

/** A range with the prefix lengths of its networks. */
export interface RangeRow extends AddressRange {
  readonly lengths: readonly number[];
}

/** Returns the rows of ranges. */
export function* rangeRows(ranges: Iterable<AddressRange>): Generator<RangeRow> {
  for (const { first, last, place, asn } of ranges) {
    yield { first, last, place, asn, lengths: prefixLengths(first.bytes, last.bytes) };
  }
}

/** The columns of a range: its ends, its networks, and the fields of a lookup, whose names and values they have. */
export const RANGE_COLUMNS: readonly ExportColumn<RangeRow>[] = [
  { name: "first", type: "address", of: ({ first }) => first },
  { name: "last", type: "address", of: ({ last }) => last },
  { name: "first_ipv4", type: "ipv4", of: ({ first }) => ipv4Number(first) },
  { name: "last_ipv4", type: "ipv4", of: ({ last }) => ipv4Number(last) },
  {
    name: "prefix_length",
    type: "uint32",
    of: ({ lengths }) => (lengths.length === 1 ? lengths[0] : undefined),
  },
  { name: "networks", type: "addresses", of: networksOf },
  { name: "country", type: "text", of: ({ place }) => place.location.country },
  {
    name: "eu",
    type: "boolean",
    of: ({ place: { location } }) => (location.country === "" ? undefined : location.eu),
  },
  { name: "lat", type: "double", of: ({ place }) => (isLocated(place) ? place.coords.lat : undefined) },
  { name: "lon", type: "double", of: ({ place }) => (isLocated(place) ? place.coords.lon : undefined) },
  { name: "region", type: "text", of: ({ place }) => place.details.region },
  { name: "region_code", type: "text", of: ({ place }) => place.details.regionCode },
  { name: "city", type: "text", of: ({ place }) => place.details.city },
  { name: "time_zone", type: "text", of: ({ place }) => place.details.timeZone },
  { name: "asn", type: "uint32", of: ({ asn }) => asn?.number },
  { name: "asn_name", type: "text", of: ({ asn }) => asn?.name },
];

/** The coordinates of a place without any are zero, as those of a lookup. */
function isLocated({ coords: { lat, lon } }: AddressRange["place"]): boolean {
  return lat !== 0 || lon !== 0;
}

function ipv4Number({ family, bytes: [a = 0, b = 0, c = 0, d = 0] }: AddressBytes): number | undefined {
  return family === 4 ? ((a << 24) | (b << 16) | (c << 8) | d) >>> 0 : undefined;
}

/** Returns the networks in CIDR notation, separated by spaces. */
function networksOf({ first, lengths }: RangeRow): string {
  const bytes = first.bytes.slice();
  let networks = "";
  for (const length of lengths) {
    networks += `${networks === "" ? "" : " "}${addressText(bytes)}/${length}`;
    moveToNext(bytes, length);
  }
  return networks;
}
