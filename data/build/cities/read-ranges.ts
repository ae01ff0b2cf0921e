import { Reader, type Response } from "maxmind";
import { childOf } from "../../../src/tools/geoip/mmdb-reader.js";

/** Ranges of addresses in order: each starts where the one before ends. */
export interface Ranges {
  /** The starts: the upper 32 of 64 bits, which are 0 for IPv4, and the lower ones. */
  readonly high: number[];
  readonly low: number[];
  /** The numbers of the locations; -1 - n for the nth block of 64 bits with longer networks. */
  readonly ids: number[];
}

/** A location: country code, region and city, empty if unknown, and coordinates in degrees. */
export type Place = readonly [
  country: string,
  region: string,
  city: string,
  latitude: number,
  longitude: number,
];

/** The content of a location file. */
export interface Cities {
  readonly metadata: Reader<Response>["metadata"];
  readonly four: Ranges;
  readonly six: Ranges;
  /** The ranges in each block of 64 bits with longer networks, by the last 64 bits. */
  readonly longer: readonly Ranges[];
  /** The locations in the order of their first networks; the first is that of addresses without a record. */
  readonly places: readonly Place[];
}

interface Record {
  readonly country?: { readonly iso_code?: string };
  readonly subdivisions?: readonly { readonly names?: { readonly en?: string } }[];
  readonly city?: { readonly names?: { readonly en?: string } };
  readonly location?: { readonly latitude?: number; readonly longitude?: number };
}

/** Called with each network: its start, and the value in the tree, or the node at the last level. */
type Visit = (high: number, low: number, value: number, isTwin: boolean) => void;

/**
 * Reads all networks of a location file of DB-IP, and joins neighbors with one location. The largest block around an address
 * within a range is then its network in the tree, because the tree has no two halves of a network with one location.
 */
export function readCities(mmdb: Buffer): Cities {
  const reader = new Reader<Response>(mmdb);
  const { nodeCount, recordSize, ipVersion, searchTreeSize } = reader.metadata;
  if (ipVersion !== 6) {
    throw new Error("the location file has no IPv6 addresses");
  }
  let ipv4 = 0;
  for (let depth = 0; depth < 96; depth++) {
    ipv4 = childOf(mmdb, recordSize, ipv4, 0);
  }

  /** Visits the networks below a node: those of `levels` more bits, of which the last 32 are in `low`. */
  function walk(node: number, levels: number, high: number, low: number, visit: Visit): void {
    const [zero, one] = [childOf(mmdb, recordSize, node, 0), childOf(mmdb, recordSize, node, 1)];
    for (const bit of [0, 1]) {
      const child = bit === 0 ? zero : one;
      const startHigh = bit === 1 && levels > 32 ? high + 2 ** (levels - 33) : high;
      const startLow = bit === 1 && levels <= 32 ? low + 2 ** (levels - 1) : low;
      // The IPv4 addresses are there again in 2002::/16.
      const next = child === ipv4 ? nodeCount : child;
      if (next < nodeCount && levels > 1) {
        walk(next, levels - 1, startHigh, startLow, visit);
      } else {
        visit(startHigh, startLow, next, bit === 1 && zero === one);
      }
    }
  }

  const places: Place[] = [["", "", "", 0, 0]];
  const numbers = new Map<string, number>();
  const byValue = new Map([[nodeCount, 0]]);
  function placeAt(value: number): number {
    const known = byValue.get(value);
    if (known !== undefined) {
      return known;
    }
    const place = placeOf(decodeAt(reader, searchTreeSize + value - nodeCount));
    const key = place.join("\n");
    const number = numbers.get(key) ?? places.push(place) - 1;
    numbers.set(key, number);
    byValue.set(value, number);
    return number;
  }

  const longer: Ranges[] = [];
  function addRanges(ranges: Ranges, node: number, levels: number): Ranges {
    walk(node, levels, ranges.high.length > 0 ? UNICAST : 0, 0, (high, low, value, isTwin) => {
      const isNode = value < nodeCount;
      add(
        ranges,
        high,
        low,
        isNode ? -longer.push(addRanges(noRanges(), value, 64)) : placeAt(value),
        isTwin,
      );
    });
    return ranges;
  }
  const four = addRanges(noRanges(), ipv4, 32);
  // Nothing outside 2000::/3 is ever looked up.
  const six = noRanges();
  add(six, 0, 0, 0);
  const unicast = [0, 0, 1].reduce((node, bit) => childOf(mmdb, recordSize, node, bit), 0);
  addRanges(six, unicast, 61);
  add(six, 2 * UNICAST, 0, 0);
  return { metadata: reader.metadata, four, six, longer, places };
}

/** The first 32 bits of 2000::/3. */
const UNICAST = 0x2000_0000;

function noRanges(): Ranges {
  return { high: [], low: [], ids: [] };
}

/** Adds a network. One with the location of the range before it belongs to that, unless it is a `twin`. */
function add(
  { high, low, ids }: Ranges,
  startHigh: number,
  startLow: number,
  id: number,
  isTwin = false,
): void {
  if (id !== ids.at(-1) || isTwin) {
    high.push(startHigh);
    low.push(startLow);
    ids.push(id);
  }
}

/** Decodes a record by its position. The types of the library hide the decoder. */
function decodeAt(reader: Reader<Response>, position: number): Record {
  const { decoder } = reader as unknown as { decoder: { decode(offset: number): { value: Record } } };
  return decoder.decode(position).value;
}

function placeOf({ country, subdivisions, city, location }: Record): Place {
  const [region] = subdivisions ?? [];
  return [
    country?.iso_code ?? "",
    region?.names?.en ?? "",
    city?.names?.en ?? "",
    location?.latitude ?? 0,
    location?.longitude ?? 0,
  ];
}
