import { Reader, type Response } from "maxmind";
import { type Failure, fail, ok, type Result } from "../../result.js";
import type { IpAddress } from "./ip-address.js";

/** What a database answers for an address. */
export interface MmdbAnswer {
  /** The record, in whatever shape the database has; null when it has none for this address. */
  readonly record: unknown;
  /** The length of the shortest prefix of the address for all of which this answer holds. */
  readonly prefixLength: number;
}

/** A database of networks, open for look-ups. */
export interface MmdbReader {
  /** 4: it has IPv4 addresses only. 6: it has IPv6 addresses, and may have IPv4 ones too. */
  readonly ipVersion: 4 | 6;
  /** What its maker calls this kind of database. */
  readonly databaseType: string;
  /** When it was built. */
  readonly builtAt: Date;
  /** Looks one address up. In a database without IPv6, an IPv6 address has no record, and prefix length 0. */
  lookup(address: IpAddress): MmdbAnswer;
}

/** Why bytes are not a database that can be read. */
export type MmdbFailure = Failure<"NOT_MMDB" | "CORRUPT_MMDB">;

const METADATA_MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex");
/** How far from the end the metadata may begin. */
const METADATA_MAX_SIZE = 128 * 1024;
const SEPARATOR_SIZE = 16;
const NOTHING: MmdbAnswer = { record: null, prefixLength: 0 };

/**
 * Opens a database in the MaxMind DB format 2.x (https://maxmind.github.io/MaxMind-DB/) over its bytes, which
 * are used in place and never copied, so they must not be changed afterwards.
 *
 * Checks what is cheap to check: the metadata, and that the search tree ends where it says. A file that is
 * damaged elsewhere can still make `lookup` throw.
 */
export function openMmdb(bytes: Buffer): Result<MmdbReader, MmdbFailure> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return fail("NOT_MMDB", "is compressed with gzip; unpack it first");
  }
  if (!bytes.subarray(-METADATA_MAX_SIZE).includes(METADATA_MARKER)) {
    return fail("NOT_MMDB", "is not a MaxMind DB file, or its end is missing");
  }
  try {
    const reader = new Reader<Response>(bytes);
    const { ipVersion, databaseType, buildEpoch, searchTreeSize, nodeCount } = reader.metadata;
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
      builtAt: buildEpoch,
      lookup(address) {
        // The library would take the first 32 bits for an IPv4 address, and find something.
        if (ipVersion === 4 && address.family === 6) {
          return NOTHING;
        }
        const [record, prefixLength] = reader.getWithPrefixLength(address.text);
        return { record, prefixLength };
      },
    });
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: its metadata cannot be read (${String(error)})`);
  }
}
