import { Reader, type Response } from "maxmind";
import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import { type AddressBytes, addressText } from "../../../text/ip-address.js";
import { type BlockSource, DamagedData } from "./block-source.js";
import { type BoundedCache, boundedCache } from "./bounded-cache.js";
import { checkMmdbValue, type MmdbSection } from "./mmdb-limits.js";
import { mmdbSearch } from "./mmdb-search.js";
import { type SearchTree, type TreeLeaf, treeWalker } from "./mmdb-tree.js";
import { type MmdbReader, movableReader, type OpenDatabase } from "./movable-reader.js";

/** Why bytes are not a usable database. */
export type MmdbFailure = Failure<"NOT_MMDB" | "CORRUPT_MMDB">;

const METADATA_MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex");
/**
 * `maxmind` searches for the marker from the end of the file, and misses it if this follows, the end of the marker. It would
 * then decode other bytes than those that have been checked.
 */
const HIDES_MARKER = METADATA_MARKER.subarray(2);
/** The maximum distance of the metadata from the end of the file, in bytes. */
export const METADATA_MAX_SIZE = 128 * 1024;
const SEPARATOR_SIZE = 16;
/**
 * The number of cached records per file, about 130 bytes each. Many addresses share a record: of a million random ones,
 * seven in eight lead to a record of DB-IP that is still cached.
 */
export const CACHED_RECORDS = 65_536;

/**
 * Opens a database in the MaxMind DB format 2.x (https://maxmind.github.io/MaxMind-DB/).
 *
 * `read` converts a decoded record, which can have any shape, to the result of lookups; undefined if it has no content.
 * Addresses that share a record share the converted record as long as it is cached, so it must not change.
 *
 * Checks the metadata and the end of the search tree. `lookup` checks each record before it decodes it, so that a damaged
 * or hostile file cannot take more than a limited time and memory.
 */
export function openMmdb<T>(
  source: BlockSource,
  read: (record: unknown) => T | undefined,
  cachedRecords = CACHED_RECORDS,
): Result<MmdbReader<T>, MmdbFailure> {
  const start = Buffer.from(bytesAt(source, 0, Math.min(2, source.size)));
  if (start.equals(GZIP)) {
    return fail("NOT_MMDB", "is compressed with gzip; unpack it first");
  }
  const tail = tailOf(source);
  const marker = findMarker(tail);
  if (marker === undefined) {
    return fail("NOT_MMDB", "is not a MaxMind DB file, or is truncated");
  }
  const damage = metadataDamage(tail, marker + METADATA_MARKER.length);
  if (damage !== undefined) {
    return fail("CORRUPT_MMDB", `is damaged: its metadata cannot be read (${damage})`);
  }
  try {
    return ok(movableReader(source, openSource, read, cachedRecords));
  } catch (error) {
    const problem =
      error instanceof DamagedData ? error.message : `its metadata cannot be read (${String(error)})`;
    return fail("CORRUPT_MMDB", `is damaged: ${problem}`);
  }
}

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Returns bytes of a database. */
function bytesAt({ at, bytes }: BlockSource, offset: number, length: number): Buffer {
  const start = at(offset, length);
  return bytes.subarray(start, start + length);
}

function tailOf(source: BlockSource): Buffer {
  const length = Math.min(METADATA_MAX_SIZE, source.size);
  return bytesAt(source, source.size - length, length);
}

/** Throws if the metadata cannot be read, or if the search tree does not match them. */
function openSource(source: BlockSource): OpenDatabase {
  const { at, size } = source;
  const bytes = source.bytes.subarray(0, size);
  const tail = tailOf(source);
  const marker = findMarker(tail) ?? 0;
  const { ipVersion, databaseType, buildEpoch, description, ...sizes } = readMetadata(tail, marker);
  if (ipVersion !== 4 && ipVersion !== 6) {
    throw new DamagedData(`it has the IP version ${String(ipVersion)} in its metadata, not 4 or 6`);
  }
  const { searchTreeSize, nodeCount, recordSize } = sizes;
  const end = size - tail.length + marker;
  const data = { bytes, start: searchTreeSize + SEPARATOR_SIZE, end, at };
  const isTreeInFile = Number.isInteger(nodeCount) && nodeCount > 0 && data.start <= end;
  if (!isTreeInFile || bytesAt(source, searchTreeSize, SEPARATOR_SIZE).some((byte) => byte !== 0)) {
    throw new DamagedData("the size of its search tree does not match its metadata");
  }
  // Before `maxmind` walks the same way, so that the bytes are available.
  const tree: SearchTree = { bytes, recordSize, nodeCount, ipVersion, at };
  const walk = treeWalker(tree);
  const reader = new Reader<Response>(bytes);
  return {
    ipVersion,
    databaseType: String(databaseType),
    description: englishOf(description),
    builtAt: buildEpoch,
    lookups: (convert, cached) => recordLookup(reader, data, walk, convert, boundedCache(cached)),
    search: mmdbSearch(tree, data, searchTreeSize),
  };
}

/** Returns the position of the marker before the metadata; undefined without one. */
function findMarker(bytes: Buffer): number | undefined {
  const tail = bytes.subarray(-METADATA_MAX_SIZE);
  const inTail = tail.lastIndexOf(METADATA_MARKER);
  return inTail < 0 ? undefined : bytes.length - tail.length + inTail;
}

/**
 * Returns the build date of a database from its last {@link METADATA_MAX_SIZE} bytes; undefined if the metadata cannot be read. Never
 * throws an error for content that `openMmdb` accepts.
 */
export function readBuildDate(tail: Buffer): Date | undefined {
  const marker = findMarker(tail);
  return marker === undefined || metadataDamage(tail, marker + METADATA_MARKER.length) !== undefined
    ? undefined
    : readMetadata(tail, marker).buildEpoch;
}

/** A node of a search tree that leads to itself. `maxmind` walks the tree when it opens a file. */
const NODE = Buffer.alloc(8);

function readMetadata(tail: Buffer, marker: number): Reader<Response>["metadata"] {
  return new Reader<Response>(Buffer.concat([NODE, tail.subarray(marker)])).metadata;
}

/** Returns why `maxmind` must not decode the metadata; undefined if it can. */
function metadataDamage(bytes: Buffer, start: number): string | undefined {
  if ((bytes[start] ?? 0) >> 5 !== 7) {
    return "it is not a map";
  }
  if (bytes.subarray(start, start + HIDES_MARKER.length).equals(HIDES_MARKER)) {
    return "it starts like its marker ends";
  }
  return checkMmdbValue({ bytes, start, end: bytes.length }, start);
}

/** Returns the English description. It is a map from language to text, contrary to the types of the library. */
function englishOf(description: unknown): string {
  return typeof description === "object" && description !== null && "en" in description
    ? String(description.en)
    : "";
}

/**
 * Walks the tree, and checks and decodes records that are not in the cache. The cache has null for a record without content.
 */
function recordLookup<T>(
  reader: Reader<Response>,
  data: MmdbSection,
  walk: (address: AddressBytes) => TreeLeaf,
  read: (record: unknown) => T | undefined,
  cache: BoundedCache<number, T | null>,
): MmdbReader<T>["lookup"] {
  const { nodeCount, ipVersion } = reader.metadata;
  return (address) => {
    // The walk would use the first 32 bits as an IPv4 address.
    if (ipVersion === 4 && address.family === 6) {
      return { record: undefined, prefixLength: 0 };
    }
    const { value, depth } = walk(address);
    if (value === nodeCount) {
      return { record: undefined, prefixLength: depth };
    }
    let record = cache.get(value);
    if (record === undefined) {
      const damage =
        value < nodeCount
          ? "the search tree is deeper than an address"
          : checkMmdbValue(data, data.start - SEPARATOR_SIZE + value - nodeCount);
      if (damage !== undefined) {
        return { record: undefined, prefixLength: depth, damage };
      }
      record = read(reader.get(addressText(address.bytes))) ?? null;
      cache.set(value, record);
    }
    return { record: record ?? undefined, prefixLength: depth };
  };
}
