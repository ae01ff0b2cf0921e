import type { IpAddress } from "../../../src/text/ip-address.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { PER_DEGREE } from "../../../src/tools/geoip/databases/columns/location-reader.js";
import { LONGER, wordsOf } from "../../../src/tools/geoip/databases/columns/range-finder.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import type { MmdbReader, MmdbResult } from "../../../src/tools/geoip/databases/movable-reader.js";
import { type Network, networksOf, withoutReserved } from "./networks.js";

/** A location: country code, region and city, empty if unknown, and coordinates in parts of a degree. */
export type Place = readonly [
  country: string,
  region: string,
  city: string,
  latitude: number,
  longitude: number,
];

/** The first bytes of the file. The length of the header follows, 32 bits, little-endian, then the header as JSON. */
const COLUMNS_MAGIC = "UTCOLS3\n";

const NOWHERE: Place = ["", "", "", 0, 0];

/** Ranges of addresses in order: each ends where the next one starts. */
interface Ranges {
  /** The starts: a list for each 32-bit word. */
  readonly starts: readonly number[][];
  /** The locations, or {@link LONGER}. */
  readonly ids: number[];
}

/**
 * Writes a database in columns, which `convertColumns` converts to the form that `openColumns` reads, from a location file of DB-IP. Throws an Error if that cannot be read.
 *
 * Neighbors with one location are one range, except the two halves of a network. The largest block around an address within a
 * range is then its network in the file.
 */
export function writeColumns(mmdb: Buffer): Buffer {
  const numberOf = placeNumbers();
  const opened = openMmdb(memorySource(mmdb), (record) => numberOf.number(placeOf(record as DbIpRecord)));
  if (!opened.ok) {
    throw new Error(`the location file ${opened.failure.description}`);
  }
  return columnsOf(opened.value, withoutReserved(opened.value.lookup), numberOf.numbers, true);
}

/** Returns numbers for locations, from 1 on, and the function that gives them. */
export function placeNumbers() {
  const numbers = new Map<string, number>();
  const number = (place: Place): number => {
    const key = JSON.stringify(place);
    const known = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, known);
    return known;
  };
  return { numbers, number };
}

/**
 * Returns a database in columns with the numbers that `lookup` returns, whose locations are the keys of `numbers`. Without
 * `keepNetworks`, the networks that it returns for addresses can be larger than those of `lookup`.
 */
export function columnsOf(
  {
    databaseType,
    description,
    builtAt,
  }: Pick<MmdbReader<unknown>, "databaseType" | "description" | "builtAt">,
  lookup: (address: IpAddress) => MmdbResult<number>,
  numbers: ReadonlyMap<string, number>,
  keepNetworks: boolean,
): Buffer {
  const [ipv4, ipv6, longer] = [noRanges(1), noRanges(2), noRanges(4)];
  addNetworks(networksOf(lookup, 4), ipv4, longer, keepNetworks);
  addNetworks(networksOf(lookup, 6), ipv6, longer, keepNetworks);
  // Locations near each other get numbers near each other.
  const keys = [...numbers.keys()].sort();
  const ranks = new Map([[0, 0], ...keys.map((key, index) => [numbers.get(key) ?? 0, index + 1] as const)]);
  const tables = Object.entries({ ipv4, ipv6, longer }).flatMap(([name, { starts, ids }]): Column[] => [
    numberColumn(`${name}-starts`, starts.flat()),
    numberColumn(
      `${name}-ids`,
      ids.map((id) => ranks.get(id) ?? LONGER),
    ),
  ]);
  const columns = [...tables, ...placeColumns([NOWHERE, ...keys.map((key): Place => JSON.parse(key))])];
  const header = {
    databaseType,
    description,
    builtAt: builtAt.toISOString(),
    columns: columns.map(([name, { length }, count]) => [name, length, count]),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([Buffer.from(COLUMNS_MAGIC), length, text, ...columns.map(([, bytes]) => bytes)]);
}

type Column = readonly [name: string, bytes: Buffer, count: number];

function noRanges(width: number): Ranges {
  return { starts: Array.from({ length: width }, () => [0]), ids: [0] };
}

function addNetworks(
  networks: Iterable<Network<number>>,
  ranges: Ranges,
  longer: Ranges,
  keepNetworks: boolean,
): void {
  let lengthBefore = 0;
  for (const { first, prefixLength, record: id = 0 } of networks) {
    const { bytes } = first;
    const isUpperHalf = ((bytes[(prefixLength - 1) >> 3] ?? 0) & (1 << (-prefixLength & 7))) !== 0;
    const isTwin = keepNetworks && isUpperHalf && prefixLength === lengthBefore;
    lengthBefore = prefixLength;
    if (prefixLength > 64) {
      add(longer, bytes, id, isTwin);
      add(ranges, bytes, LONGER, false);
    } else {
      add(ranges, bytes, id, isTwin);
    }
  }
}

/** Adds a network. One with the location of the range before it belongs to that, unless it is a `twin`. */
function add({ starts, ids }: Ranges, bytes: readonly number[], id: number, isTwin: boolean): void {
  if (id === ids.at(-1) && !isTwin) {
    return;
  }
  const words = wordsOf(bytes);
  for (const [word, list] of starts.entries()) {
    list.push(words[word] ?? 0);
  }
  ids.push(id);
}

interface DbIpRecord {
  readonly country?: { readonly iso_code?: string };
  readonly subdivisions?: readonly { readonly names?: { readonly en?: string } }[];
  readonly city?: { readonly names?: { readonly en?: string } };
  readonly location?: { readonly latitude?: number; readonly longitude?: number };
}

function placeOf({ country, subdivisions, city, location }: DbIpRecord): Place {
  const units = (degrees = 0): number => Math.round(degrees * PER_DEGREE);
  return [
    country?.iso_code ?? "",
    subdivisions?.[0]?.names?.en ?? "",
    city?.names?.en ?? "",
    units(location?.latitude),
    units(location?.longitude),
  ];
}

function placeColumns(places: readonly Place[]): Column[] {
  const strings = new Map<string, number>();
  const stringNumber = (text: string): number => {
    const number = strings.get(text) ?? strings.size;
    strings.set(text, number);
    return number;
  };
  const columnOf = (name: string, read: (place: Place) => number): Column =>
    numberColumn(name, places.map(read));
  const numbers = [
    columnOf("countries", ([country]) => stringNumber(country)),
    columnOf("regions", ([, region]) => stringNumber(region)),
    columnOf("cities", ([, , city]) => stringNumber(city)),
    columnOf("latitudes", ([, , , latitude]) => latitude),
    columnOf("longitudes", ([, , , , longitude]) => longitude),
  ];
  const texts = [...strings.keys()].map((text) => Buffer.from(text));
  let end = 0;
  const ends = texts.map(({ length }) => (end += length));
  return [...numbers, numberColumn("ends", ends), ["strings", Buffer.concat(texts), 0]];
}

function numberColumn(name: string, numbers: readonly number[]): Column {
  return [name, encode(numbers), numbers.length];
}

/** Returns the differences of numbers from the ones before, modulo 2^32, as varints in the zigzag form of protobuf. */
function encode(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(5 * numbers.length);
  let at = 0;
  let before = 0;
  for (const number of numbers) {
    const difference = (number - before) | 0;
    before = number;
    let zigzag = ((difference << 1) ^ (difference >> 31)) >>> 0;
    for (; zigzag > 127; zigzag >>>= 7) {
      bytes[at++] = zigzag | 128;
    }
    bytes[at++] = zigzag;
  }
  return bytes.subarray(0, at);
}
