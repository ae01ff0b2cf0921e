import { type BoundedCache, boundedCache } from "connect-transcoding";
import { Reader, type Response } from "maxmind";
import type { IpAddress } from "../../ip-address.js";
import { type Failure, fail, ok, type Result } from "../../result.js";
import { type TreeLeaf, treeWalker } from "./search-tree.js";

/** What a database answers for an address. */
export interface MmdbAnswer<T> {
  /** What was read from the record; undefined when there is none for this address, or one that says nothing. */
  readonly record: T | undefined;
  /** The length of the shortest prefix of the address for all of which this answer holds. */
  readonly prefixLength: number;
}

/** A database of networks, open for look-ups. */
export interface MmdbReader<T> {
  /** 4: it has IPv4 addresses only. 6: it has IPv6 addresses, and may have IPv4 ones too. */
  readonly ipVersion: 4 | 6;
  /** What its maker calls this kind of database. */
  readonly databaseType: string;
  /** What its maker says of it in English; empty where that is nothing. */
  readonly description: string;
  /** When it was built. */
  readonly builtAt: Date;
  /** Looks one address up. In a database without IPv6, an IPv6 address has no record, and prefix length 0. */
  lookup(address: IpAddress): MmdbAnswer<T>;
}

/** Why bytes are not a database that can be read. */
export type MmdbFailure = Failure<"NOT_MMDB" | "CORRUPT_MMDB">;

const METADATA_MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex");
/** How far from the end the metadata may begin. */
const METADATA_MAX_SIZE = 128 * 1024;
const SEPARATOR_SIZE = 16;
/**
 * How many records of one file are kept in the form that look-ups need, about 130 bytes each. Many addresses share a
 * record: of a million random ones, seven in eight lead to one of DB-IP's that is still kept.
 */
const KEPT_RECORDS = 65_536;

/**
 * Opens a database in the MaxMind DB format 2.x (https://maxmind.github.io/MaxMind-DB/) over its bytes, which
 * are used in place and never copied, so they must not be changed afterwards.
 *
 * `read` makes of a decoded record, in whatever shape it comes, what look-ups answer; undefined when it says nothing.
 * What it makes is given again to every address that shares the record, as long as the record is one of the up to
 * `keptRecords` that were used last: nobody may change it.
 *
 * Checks what is cheap to check: the metadata, and that the search tree ends where it says. A file that is
 * damaged elsewhere can still make `lookup` throw.
 */
export function openMmdb<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
  keptRecords = KEPT_RECORDS,
): Result<MmdbReader<T>, MmdbFailure> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return fail("NOT_MMDB", "is compressed with gzip; unpack it first");
  }
  if (!bytes.subarray(-METADATA_MAX_SIZE).includes(METADATA_MARKER)) {
    return fail("NOT_MMDB", "is not a MaxMind DB file, or its end is missing");
  }
  try {
    const reader = new Reader<Response>(bytes);
    const { metadata } = reader;
    const { ipVersion, databaseType, buildEpoch, searchTreeSize, nodeCount, recordSize } = metadata;
    if (ipVersion !== 4 && ipVersion !== 6) {
      return fail("CORRUPT_MMDB", `has the IP version ${String(ipVersion)} in its metadata, not 4 or 6`);
    }
    const separator = bytes.subarray(searchTreeSize, searchTreeSize + SEPARATOR_SIZE);
    if (!(nodeCount > 0) || separator.length < SEPARATOR_SIZE || separator.some((byte) => byte !== 0)) {
      return fail("CORRUPT_MMDB", "is damaged: its search tree does not end where its metadata says");
    }
    return ok({
      ipVersion,
      databaseType: String(databaseType),
      description: englishOf(metadata.description),
      builtAt: buildEpoch,
      lookup: recordLookup(
        reader,
        treeWalker({ bytes, recordSize, nodeCount, ipVersion }),
        read,
        boundedCache(keptRecords),
      ),
    });
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: its metadata cannot be read (${String(error)})`);
  }
}

/** The English text of a description, which is a map from languages to texts, though the library's types do not say so. */
function englishOf(description: unknown): string {
  return typeof description === "object" && description !== null && "en" in description
    ? String(description.en)
    : "";
}

/** Walks the tree, and has the library read the records that are not kept: null stands for one that says nothing. */
function recordLookup<T>(
  reader: Reader<Response>,
  walk: (address: IpAddress) => TreeLeaf,
  read: (record: unknown) => T | undefined,
  kept: BoundedCache<number, T | null>,
): MmdbReader<T>["lookup"] {
  const { nodeCount, ipVersion } = reader.metadata;
  return (address) => {
    // A walk would take the first 32 bits for an IPv4 address, and find something.
    if (ipVersion === 4 && address.family === 6) {
      return { record: undefined, prefixLength: 0 };
    }
    const { value, depth } = walk(address);
    if (value <= nodeCount) {
      return { record: undefined, prefixLength: depth };
    }
    let record = kept.get(value);
    if (record === undefined) {
      record = read(reader.get(address.text)) ?? null;
      kept.set(value, record);
    }
    return { record: record ?? undefined, prefixLength: depth };
  };
}
