import { ok, type Result } from "../../../failures/result.js";
import type { IpAddress } from "../../../text/ip-address.js";
import { CACHED_RECORDS, type MmdbFailure, type MmdbReader, type MmdbResult } from "./mmdb-reader.js";

/** The first bytes of a database in columns. The length of the header follows, 32 bits, little-endian, then the header. */
export const COLUMNS_MAGIC = "UTCOLS3\n";

/** The header of a database in columns, as JSON. `data/README.md` describes the columns. */
export interface ColumnsHeader {
  readonly databaseType: string;
  readonly description: string;
  /** The build date in ISO 8601. */
  readonly builtAt: string;
  /** The columns in the order of the file, their lengths in bytes, and how many numbers they have. */
  readonly columns: readonly (readonly [name: string, length: number, count: number])[];
}

/** Instead of the number of a location: the networks in the range have more than 64 bits, and are in the table `longer`. */
export const LONGER = 0xffff_ffff;

/** Coordinates are stored in these parts of a degree. */
export const PER_DEGREE = 10_000;

/** The bytes of a file, which are read in parts: a database needs no second copy of them. */
export interface FileBytes {
  readonly length: number;
  /** Returns some bytes, which are valid until the next call; fewer at the end of the file. */
  read(position: number, length: number): Buffer;
}

/** Returns bytes that are in memory already. */
export function bytesOf(buffer: Buffer): FileBytes {
  return { length: buffer.length, read: (position, length) => buffer.subarray(position, position + length) };
}

/** An open database in columns. */
export interface ColumnsReader<T> extends MmdbReader<T> {
  /**
   * Replaces the content by that of another file, in the same memory if it suffices, for all readers of the database at once. Checks all
   * of the file before. Returns why it cannot be used, and then nothing has changed.
   */
  replace(file: FileBytes): Promise<MmdbFailure | undefined>;
}

/** The numbers of each column. A column that is replaced by a shorter one leaves memory at the end. */
type Storage = Map<string, Uint32Array>;

/** Returns the numbers of a column. */
type Numbers = (name: string) => Uint32Array;

/**
 * Opens a database in columns. `read` converts a record, which has `country_code`, `state1`, `city`, `latitude` and `longitude`, as
 * for `openMmdb`.
 *
 * The content is not checked: a lookup in a damaged file takes no longer, and can have a wrong result.
 */
export function openColumns<T>(
  file: FileBytes,
  read: (record: unknown) => T | undefined,
  cachedRecords = CACHED_RECORDS,
): Result<ColumnsReader<T>, MmdbFailure> {
  const storage: Storage = new Map();
  try {
    let database = readColumns(file, storage);
    const replace = async (other: FileBytes): Promise<MmdbFailure | undefined> => {
      try {
        await checkColumns(other);
        // Without a pause in between: no request finds half of each.
        database = readColumns(other, storage);
        return undefined;
      } catch (error) {
        return damage(error);
      }
    };
    const readerOf = <U>(convert: (record: unknown) => U | undefined, cached: number): ColumnsReader<U> => {
      let records: (U | null | undefined)[] = [];
      let used = 0;
      let own: typeof database | undefined;
      return {
        ipVersion: 6,
        get databaseType() {
          return database.databaseType;
        },
        get description() {
          return database.description;
        },
        get builtAt() {
          return new Date(database.builtAt);
        },
        lookup(address): MmdbResult<U> {
          const { find, locations, recordOf } = database;
          if (own !== database) {
            // One slot for each location. They are cleared when many are in use: no order of use has to be kept.
            records = new Array<U | null | undefined>(locations).fill(undefined);
            used = 0;
            own = database;
          }
          const { id, prefixLength } = find(address);
          if (id === 0 || id >= locations) {
            return { record: undefined, prefixLength };
          }
          let record = records[id];
          if (record === undefined) {
            if (used++ === cached) {
              records.fill(undefined);
              used = 1;
            }
            record = convert(recordOf(id)) ?? null;
            records[id] = record;
          }
          return { record: record ?? undefined, prefixLength };
        },
        withRecords: readerOf,
        replace,
      };
    };
    return ok(readerOf(read, cachedRecords));
  } catch (error) {
    return { ok: false, failure: damage(error) };
  }
}

function damage(error: unknown): MmdbFailure {
  const problem = error instanceof Error ? error.message : String(error);
  return { reason: "CORRUPT_MMDB", description: `is damaged: ${problem}` };
}

/** A column in a file. */
interface Column {
  readonly position: number;
  readonly length: number;
  readonly count: number;
}

/** Reads the header. Throws an Error if it does not fit the file. */
function readHeader(file: FileBytes) {
  const start = COLUMNS_MAGIC.length + 4;
  let end = start + file.read(0, start).readUInt32LE(start - 4);
  const header: ColumnsHeader = JSON.parse(file.read(start, end - start).toString());
  const columns = new Map<string, Column>();
  for (const [name, length, count] of header.columns) {
    columns.set(name, { position: end, length, count });
    end += length;
  }
  if (end !== file.length) {
    throw new Error(`it has ${file.length} bytes instead of ${end}`);
  }
  return { header, columns };
}

/** Checks that each column has as many numbers as the header says. Yields to pending requests. Throws an Error otherwise. */
async function checkColumns(file: FileBytes): Promise<void> {
  const { columns } = readHeader(file);
  if ((columns.get("countries")?.count ?? 0) < 2) {
    throw new Error("it has no locations");
  }
  for (const [name, { position, length, count }] of columns) {
    let ends = 0;
    for (const byte of count === 0 ? [] : file.read(position, length)) {
      ends += byte < 128 ? 1 : 0;
    }
    if (ends !== count) {
      throw new Error(`the column ${name} has ${ends} numbers instead of ${count}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function readColumns(file: FileBytes, storage: Storage) {
  const { header, columns } = readHeader(file);
  const bytes = (name: string): Buffer => {
    const { position, length } = columns.get(name) ?? { position: 0, length: 0 };
    return file.read(position, length);
  };
  const numbers: Numbers = (name) => {
    const count = columns.get(name)?.count ?? 0;
    let all = storage.get(name);
    if (all === undefined || all.length < count) {
      // With space for more in a later file. The system provides memory when it is written.
      all = new Uint32Array(count + (count >>> 3));
      storage.set(name, all);
    }
    const column = all.subarray(0, count);
    readNumbers(bytes(name), column);
    return column;
  };
  // A copy: the bytes are valid until the next call only.
  const strings = Buffer.from(bytes("strings"));
  return { ...header, find: addressFinder(numbers), ...locationReader(numbers, strings) };
}

/**
 * Reads the numbers of a column. The file has the differences from the ones before, as varints in the zigzag form of protobuf
 * (https://protobuf.dev/programming-guides/encoding/#signed-ints).
 */
function readNumbers(bytes: Buffer, numbers: Uint32Array): void {
  const count = numbers.length;
  let at = 0;
  let number = 0;
  for (let index = 0; index < count; index++) {
    const first = bytes[at++] ?? 0;
    let zigzag = first;
    // Most numbers have two bytes. Without a case for them, 20 million numbers take a quarter longer.
    if (first > 127) {
      let byte = bytes[at++] ?? 0;
      zigzag = (first & 127) | ((byte & 127) << 7);
      for (let shift = 14; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        zigzag |= (byte & 127) << shift;
      }
    }
    number = (number + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
    numbers[index] = number;
  }
}

/** Returns the 32-bit words of an address. */
export function wordsOf(bytes: readonly number[]): number[] {
  const words: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    const low = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    words.push(((high << 16) | low) >>> 0);
  }
  return words;
}

/** The range of an address. */
interface Range {
  /** The number of its location, 0 if it has none, or {@link LONGER}. */
  readonly id: number;
  /** The prefix length of the largest block around the address within the range. */
  readonly prefixLength: number;
}

/**
 * Returns a function that finds the range of an address by its first `width` words. Ranges start at 0, and each ends where the
 * next one starts. The column of starts has their first words, then their second ones, and so on.
 */
function rangeFinder(numbers: Numbers, table: string, width: number): (words: readonly number[]) => Range {
  const starts = numbers(`${table}-starts`);
  const ids = numbers(`${table}-ids`);
  const count = ids.length;
  const before = countsBefore(starts, count);

  function isAfter(index: number, words: readonly number[]): boolean {
    for (let word = 0; word < width; word++) {
      const start = starts[word * count + index] ?? 0;
      const own = words[word] ?? 0;
      if (start !== own) {
        return start > own;
      }
    }
    return false;
  }

  /** Returns the number of leading bits that an address shares with a start less `borrow`; the last range ends before 0. */
  function sharedBits(index: number, words: readonly number[], borrow: 0 | 1): number {
    let shared = 32 * width;
    let rest: number = borrow;
    for (let word = width - 1; word >= 0; word--) {
      const start = index < count ? (starts[word * count + index] ?? 0) : 0;
      const different = (start - rest) ^ (words[word] ?? 0);
      rest = start < rest ? 1 : 0;
      shared = different === 0 ? shared : 32 * word + Math.clz32(different);
    }
    return shared;
  }

  return (words) => {
    const first = (words[0] ?? 0) >>> 16;
    let from = Math.max(0, (before[first] ?? 0) - 1);
    let to = (before[first + 1] ?? 0) - 1;
    while (from < to) {
      const middle = (from + to + 1) >>> 1;
      if (isAfter(middle, words)) {
        to = middle - 1;
      } else {
        from = middle;
      }
    }
    const shared = Math.max(sharedBits(from, words, 1), sharedBits(from + 1, words, 0));
    return { id: ids[from] ?? 0, prefixLength: Math.min(shared + 1, 32 * width) };
  };
}

/**
 * Returns the number of ranges that start before each value of the first 16 bits. A binary search for each value takes a fraction of the
 * time of a pass over all starts.
 */
function countsBefore(starts: Uint32Array, count: number): Uint32Array {
  const before = new Uint32Array(0x1_0001);
  let low = 0;
  for (let first = 0; first < before.length; first++) {
    for (let high = count; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) >>> 16 < first) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    before[first] = low;
  }
  return before;
}

/** Returns a function that finds the range of an address. */
function addressFinder(numbers: Numbers): (address: IpAddress) => Range {
  const ipv4 = rangeFinder(numbers, "ipv4", 1);
  const ipv6 = rangeFinder(numbers, "ipv6", 2);
  const longer = rangeFinder(numbers, "longer", 4);
  return ({ family, bytes }) => {
    const words = wordsOf(bytes);
    const range = family === 4 ? ipv4(words) : ipv6(words);
    return range.id === LONGER ? longer(words) : range;
  };
}

/** Returns the number of locations, and a function that creates the record of one. */
function locationReader(numbers: Numbers, strings: Buffer) {
  const ends = numbers("ends");
  const [countries, regions, cities] = ["countries", "regions", "cities"].map(numbers);
  const [latitudes, longitudes] = ["latitudes", "longitudes"].map(numbers);
  const text = (column: Uint32Array | undefined, id: number): string => {
    const string = column?.[id] ?? 0;
    return strings.toString("utf8", ends[string - 1] ?? 0, ends[string] ?? 0);
  };
  const degrees = (column: Uint32Array | undefined, id: number): number =>
    ((column?.[id] ?? 0) | 0) / PER_DEGREE;
  const recordOf = (id: number): unknown => ({
    country_code: text(countries, id),
    // Decoded only for the full view.
    get state1() {
      return text(regions, id);
    },
    get city() {
      return text(cities, id);
    },
    latitude: degrees(latitudes, id),
    longitude: degrees(longitudes, id),
  });
  return { locations: countries?.length ?? 0, recordOf };
}
