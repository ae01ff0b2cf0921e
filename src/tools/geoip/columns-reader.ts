import { fail, ok, type Result } from "../../failures/result.js";
import type { IpAddress } from "../../text/ip-address.js";
import { boundedCache } from "./bounded-cache.js";
import { CACHED_RECORDS, type MmdbFailure, type MmdbReader, type MmdbResult } from "./mmdb-reader.js";

/** The first bytes of a database in columns. The length of the header follows, 32 bits, little-endian, then the header. */
export const COLUMNS_MAGIC = "UTCOLS1\n";

/** The number of ranges in a block, whose first start is in an index. A lookup reads the starts of one block. */
export const BLOCK_SIZE = 64;

/** The header of a database in columns, as JSON. `data/README.md` describes the columns. */
export interface ColumnsHeader {
  readonly databaseType: string;
  readonly description: string;
  /** The build date in ISO 8601. */
  readonly builtAt: string;
  /** The position and the length of each column in bytes. Columns of 32-bit numbers start at a multiple of 4. */
  readonly columns: Readonly<Record<string, readonly [position: number, length: number]>>;
}

/** The range of an address. */
interface Range {
  /** The number of its location, or of a block with longer networks. */
  readonly id: number;
  /** The prefix length of the largest block around the address within the range. */
  readonly prefixLength: number;
}

/** The columns by name. */
type Columns = (name: string) => Uint8Array;

/**
 * Opens a database in columns. Uses the bytes in place, so they must not change afterwards. `read` converts a record, which
 * has `country_code`, `state1`, `city`, `latitude` and `longitude`, as for `openMmdb`.
 *
 * The content is not checked: a lookup in a damaged file takes no longer, and can have a wrong result.
 */
export function openColumns<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
  cachedRecords = CACHED_RECORDS,
): Result<MmdbReader<T>, MmdbFailure> {
  try {
    const { columns, databaseType, description, builtAt } = readHeader(bytes);
    const column: Columns = (name) => {
      const [position = 0, length = -1] = columns[name] ?? [];
      if (length < 0 || position + length > bytes.length) {
        throw new Error(`the column ${name} is not in the file`);
      }
      return bytes.subarray(position, position + length);
    };
    const find = rangeFinder(column);
    const recordOf = locationReader(column);
    const readerOf = <U>(convert: (record: unknown) => U | undefined, cached: number): MmdbReader<U> => {
      const cache = boundedCache<number, U | null>(cached);
      return {
        ipVersion: 6,
        databaseType,
        description,
        builtAt: new Date(builtAt),
        lookup(address): MmdbResult<U> {
          const { id, prefixLength } = find(address);
          if (id === 0) {
            return { record: undefined, prefixLength };
          }
          let record = cache.get(id);
          if (record === undefined) {
            record = convert(recordOf(id)) ?? null;
            cache.set(id, record);
          }
          return { record: record ?? undefined, prefixLength };
        },
        withRecords: readerOf,
      };
    };
    return ok(readerOf(read, cachedRecords));
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readHeader(bytes: Buffer): ColumnsHeader {
  const start = COLUMNS_MAGIC.length + 4;
  return JSON.parse(bytes.toString("utf8", start, start + bytes.readUInt32LE(start - 4)));
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function numbersIn(bytes: Uint8Array): Uint32Array {
  const isInPlace = bytes.byteOffset % 4 === 0 && IS_LITTLE_ENDIAN;
  const copy = isInPlace ? bytes : Buffer.from(bytes);
  if (!IS_LITTLE_ENDIAN) {
    Buffer.from(copy.buffer, copy.byteOffset, copy.length).swap32();
  }
  return new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
}

/** Returns a function that finds the range of an address: that of IPv4, or that of the first 64 bits, then of the others. */
function rangeFinder(column: Columns): (address: IpAddress) => Range {
  const four = startsReader(column, "4");
  const six = startsReader(column, "6");
  const locations = column("newPlaces").length;
  const [longer, longerHigh, longerLow, longerIds] = ["longer", "longerHigh", "longerLow", "longerIds"].map(
    (name) => numbersIn(column(name)),
  );
  return ({ family, bytes }) => {
    if (family === 4) {
      return four(0, wordAt(bytes, 0), 32);
    }
    const range = six(wordAt(bytes, 0), wordAt(bytes, 4), 64);
    const block = range.id - locations;
    if (block < 0 || !longer || !longerHigh || !longerLow) {
      return range;
    }
    // The networks of such a block of 64 bits are longer.
    const [high, low] = [wordAt(bytes, 8), wordAt(bytes, 12)];
    const [first, end] = [longer[block] ?? 0, longer[block + 1] ?? 0];
    const at = lastStart(longerHigh, longerLow, high, low, first, end);
    const next = at + 1 < end ? sharedBits(high, low, longerHigh[at + 1] ?? 0, longerLow[at + 1] ?? 0) : -1;
    const before = at > first ? bitsBefore(high, low, longerHigh[at] ?? 0, longerLow[at] ?? 0) : -1;
    return { id: longerIds?.[at] ?? 0, prefixLength: 65 + Math.max(next, before) };
  };
}

function wordAt(bytes: readonly number[], index: number): number {
  return (
    (((bytes[index] ?? 0) << 24) |
      ((bytes[index + 1] ?? 0) << 16) |
      ((bytes[index + 2] ?? 0) << 8) |
      (bytes[index + 3] ?? 0)) >>>
    0
  );
}

/** The powers of 2: `**` takes longer than the rest of the loop. */
const POWERS = Float64Array.from({ length: 33 }, (_, exponent) => 2 ** exponent);

/** Returns a function that finds the range of an address of 32 or 64 bits. */
function startsReader(column: Columns, family: "4" | "6") {
  const zeros = column(`zeros${family}`);
  const rests = column(`rests${family}`);
  const [ids16, ids8, ids0] = [16, 8, 0].map((shift) => column(`ids${family}-${shift}`));
  const [highs, lows, restsAt] = ["High", "Low", "Rest"].map((name) =>
    numbersIn(column(`block${name}${family}`)),
  );
  if (!ids16 || !ids8 || !ids0 || !highs || !lows || !restsAt) {
    throw new Error("a column is missing");
  }
  return (high: number, low: number, bits: 32 | 64): Range => {
    const block = lastStart(highs, lows, high, low, 0, lows.length);
    let startHigh = highs[block] ?? 0;
    let startLow = lows[block] ?? 0;
    let at = restsAt[block] ?? 0;
    let index = block * BLOCK_SIZE;
    const end = Math.min(index + BLOCK_SIZE, zeros.length);
    let nextHigh = highs[block + 1] ?? -1;
    let nextLow = lows[block + 1] ?? 0;
    for (; index + 1 < end; index++) {
      // The distance is odd * 2^shift. Large numbers are added as two words, because a sum can have 64 bits.
      const code = zeros[index + 1] ?? 0;
      const shift = code & 63;
      let odd = 1;
      if (code < 64) {
        let factor = 2;
        let byte = rests[at++] ?? 0;
        for (; byte >= 128; byte = rests[at++] ?? 0) {
          odd += (byte - 128) * factor;
          factor *= 128;
        }
        odd += byte * factor;
      }
      let sumHigh = startHigh;
      let sumLow = startLow;
      if (shift >= 32) {
        sumHigh += odd * (POWERS[shift - 32] ?? 0);
      } else {
        const scale = POWERS[32 - shift] ?? 0;
        const carried = Math.floor(odd / scale);
        sumHigh += carried;
        sumLow += (odd - carried * scale) * (POWERS[shift] ?? 0);
        if (sumLow >= 0x1_0000_0000) {
          sumLow -= 0x1_0000_0000;
          sumHigh += 1;
        }
      }
      if (sumHigh > high || (sumHigh === high && sumLow > low)) {
        nextHigh = sumHigh;
        nextLow = sumLow;
        break;
      }
      startHigh = sumHigh;
      startLow = sumLow;
    }
    const id = ((ids16[index] ?? 0) << 16) | ((ids8[index] ?? 0) << 8) | (ids0[index] ?? 0);
    const next = nextHigh < 0 ? -1 : sharedBits(high, low, nextHigh, nextLow);
    const before = startHigh === 0 && startLow === 0 ? -1 : bitsBefore(high, low, startHigh, startLow);
    return { id, prefixLength: Math.max(0, Math.max(next, before) + 1 - 64 + bits) };
  };
}

/** Returns the index of the last start that is not after an address, from `first` to before `end`. */
function lastStart(
  highs: Uint32Array,
  lows: Uint32Array,
  high: number,
  low: number,
  first: number,
  end: number,
): number {
  let from = first;
  let to = end - 1;
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    const start = highs[middle] ?? 0;
    if (start < high || (start === high && (lows[middle] ?? 0) <= low)) {
      from = middle;
    } else {
      to = middle - 1;
    }
  }
  return from;
}

/** Returns the number of leading bits that two numbers of 64 bits share. */
function sharedBits(high: number, low: number, otherHigh: number, otherLow: number): number {
  return high === otherHigh ? 32 + Math.clz32(low ^ otherLow) : Math.clz32(high ^ otherHigh);
}

/** Returns the number of leading bits that a number shares with the one before another, which is not 0. */
function bitsBefore(high: number, low: number, startHigh: number, startLow: number): number {
  return startLow > 0
    ? sharedBits(high, low, startHigh, startLow - 1)
    : sharedBits(high, low, startHigh - 1, 0xffff_ffff);
}

/** Returns a function that creates the record of a location. */
function locationReader(column: Columns): (id: number) => unknown {
  const { buffer, byteOffset, length } = column("strings");
  const text = Buffer.from(buffer, byteOffset, length);
  const stringEnds = sumsOf(column("stringLengths"));
  // The first location is in place 1.
  const placeOf = sumsOf(column("newPlaces"));
  const places = numbersIn(column("places"));
  const latitudes = coordinatesIn(column("latitudes"), column("latitudeRests"));
  const longitudes = coordinatesIn(column("longitudes"), column("longitudeRests"));
  const stringOf = (place: number, part: number): string => {
    const string = places[3 * (place - 1) + part] ?? 0;
    return text.toString("utf8", stringEnds[string - 1] ?? 0, stringEnds[string] ?? 0);
  };
  return (id) => {
    const place = placeOf[id] ?? 1;
    return {
      country_code: stringOf(place, 0),
      // Decoded only for the full view.
      get state1() {
        return stringOf(place, 1);
      },
      get city() {
        return stringOf(place, 2);
      },
      latitude: (latitudes[id] ?? 0) / MICRODEGREES,
      longitude: (longitudes[id] ?? 0) / MICRODEGREES,
    };
  };
}

/** Returns the sum of all bytes up to each one. */
function sumsOf(bytes: Uint8Array): Uint32Array {
  let sum = 0;
  return Uint32Array.from(bytes, (byte) => {
    sum += byte;
    return sum;
  });
}

/** Returns coordinates in millionths of a degree. */
function coordinatesIn(distances: Uint8Array, rests: Uint8Array): Int32Array {
  let value = 0;
  let at = 0;
  return Int32Array.from(rests, (rest) => {
    let zigzag = 0;
    let shift = 0;
    let byte = distances[at++] ?? 0;
    for (; byte >= 128; byte = distances[at++] ?? 0) {
      zigzag |= (byte & 127) << shift;
      shift += 7;
    }
    zigzag |= byte << shift;
    value += (zigzag >>> 1) ^ -(zigzag & 1);
    return 100 * value + ((rest << 24) >> 24);
  });
}

/** Coordinates are stored in these. */
export const MICRODEGREES = 1_000_000;
