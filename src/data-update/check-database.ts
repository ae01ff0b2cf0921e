import type { DatabaseName } from "../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { ipAddress, readAddress } from "../text/ip-address.js";
import { memorySource } from "../tools/geoip/databases/block-source.js";
import { tryLookups } from "../tools/geoip/databases/load-databases.js";
import { openMmdb } from "../tools/geoip/databases/mmdb-reader.js";
import type { MmdbReader } from "../tools/geoip/databases/movable-reader.js";
import { openDatabase } from "../tools/geoip/databases/open-database.js";
import { readAsnRecord, readLocation } from "../tools/geoip/databases/records.js";

/** A database that passed the checks. */
export interface CheckedDatabase {
  readonly builtAt: Date;
}

/** Why a database is not used. The description continues a sentence that begins with the source. */
export type CheckFailure = Failure<"INVALID_DOWNLOAD">;

/** A country or autonomous system that every database should have. */
type KnownAddress = readonly [address: string, country: string, asn: number];

/** Networks of universities, registries and research networks, which have been at one place for decades. */
const KNOWN_ADDRESSES: readonly KnownAddress[] = [
  ["8.8.8.8", "US", 15169],
  ["18.9.22.69", "US", 3],
  ["128.130.0.1", "AT", 679],
  ["129.132.1.1", "CH", 559],
  ["130.216.1.1", "NZ", 9431],
  ["133.11.0.1", "JP", 2501],
  ["193.0.6.139", "NL", 3333],
  ["2001:67c:2e8::1", "NL", 3333],
  ["2001:610::1", "NL", 1103],
  ["2001:620::1", "CH", 559],
  ["2001:628::1", "AT", 1853],
];

/** The part of the known addresses whose look-ups must be right. Without IPv4 or IPv6 it cannot be reached. */
const MIN_RIGHT = 0.7;

/** The length of a new file, relative to that of the present one of the same type. Databases grow. */
const MIN_LENGTH = 0.75;

/**
 * Checks a database before it is used: it opens, look-ups in its whole range succeed, those of known addresses are right, and
 * it is not much smaller than the present file of the same type. Resolves to undefined if the present file is of the same type
 * and as new or newer.
 *
 * @param present the file that is in use; undefined if there is none, or if it does not open
 * @param installed the installed file, with whose content the new one must mostly agree; undefined if it is not compared
 */
export async function checkDatabase(
  database: DatabaseName,
  bytes: Buffer,
  present: Buffer | undefined,
  installed?: Buffer,
): Promise<Result<CheckedDatabase | undefined, CheckFailure>> {
  const files = { bytes, present, installed };
  return database === "city"
    ? check(
        database,
        files,
        readLocation,
        ({ location }) => location.country,
        ([, country]) => country,
      )
    : check(
        database,
        files,
        readAsnRecord,
        ({ number }) => number,
        ([, , asn]) => asn,
      );
}

/** The files of a check. */
interface Files {
  readonly bytes: Buffer;
  readonly present: Buffer | undefined;
  readonly installed: Buffer | undefined;
}

async function check<T>(
  database: DatabaseName,
  { bytes, present, installed }: Files,
  read: (record: unknown) => T | undefined,
  keyOf: (record: T) => string | number,
  expected: (known: KnownAddress) => string | number,
): Promise<Result<CheckedDatabase | undefined, CheckFailure>> {
  const opened = openMmdb(memorySource(bytes), read);
  if (!opened.ok) {
    const isPage = /^\s*<(?:!doctype|html)/i.test(bytes.toString("latin1", 0, 256));
    return invalid(isPage ? "is an HTML page, not an MMDB file" : opened.failure.description);
  }
  const reader = opened.value;
  const tried = await tryLookups(reader, database);
  if (!tried.ok) {
    return invalid(tried.failure.description);
  }
  const right = KNOWN_ADDRESSES.filter((known) => {
    const record = recordOf(reader, known[0]);
    return record !== undefined && keyOf(record) === expected(known);
  }).length;
  if (right < KNOWN_ADDRESSES.length * MIN_RIGHT) {
    return invalid(`has the expected result for only ${right} of ${KNOWN_ADDRESSES.length} known addresses`);
  }
  const reference = installed && openDatabase(memorySource(installed), read);
  const problem = reference?.ok ? difference(reader, reference.value, keyOf) : undefined;
  if (problem !== undefined) {
    return invalid(problem);
  }
  const old = present && openMmdb(memorySource(present), read);
  if (present !== undefined && old?.ok && old.value.databaseType === reader.databaseType) {
    if (old.value.builtAt >= reader.builtAt) {
      return ok(undefined);
    }
    if (bytes.length < present.length * MIN_LENGTH) {
      return invalid(
        `has ${bytes.length} bytes, much less than the present file with ${present.length}; remove that to accept it`,
      );
    }
  }
  return ok({ builtAt: reader.builtAt });
}

/** The number of addresses that are compared with the installed file. */
const SAMPLE = 4_096;
/** The smallest part of the addresses with a record, of different values, and of the same values. Publishers differ. */
const MIN_AGREEMENT = 0.75;

/** Returns how a database differs too much from another one; undefined if it does not. */
function difference<T>(
  reader: MmdbReader<T>,
  other: MmdbReader<T>,
  keyOf: (record: T) => string | number,
): string | undefined {
  const pairs = Array.from({ length: SAMPLE }, (_, index) => {
    const address = ipAddress([index >> 4, (index & 15) << 4, 100, 1]);
    const [record, otherRecord] = [reader.lookup(address).record, other.lookup(address).record];
    return [record && keyOf(record), otherRecord && keyOf(otherRecord)] as const;
  }).filter(([, value]) => value !== undefined);
  const values = (side: 0 | 1) => new Set(pairs.map((pair) => pair[side])).size;
  const found = pairs.filter(([value]) => value !== undefined);
  const same = found.filter(([value, otherValue]) => value === otherValue).length;
  const shares: readonly (readonly [what: string, share: number])[] = [
    ["records", found.length / pairs.length],
    ["different values", values(0) / values(1)],
    ["the same values", same / found.length],
  ];
  const [wrong] = shares.filter(([, share]) => !(share >= MIN_AGREEMENT));
  return (
    wrong &&
    `has only ${Math.round(100 * wrong[1]) || 0} % of ${wrong[0]} of the installed file for ${pairs.length} sample addresses`
  );
}

function invalid(problem: string): Result<never, CheckFailure> {
  return fail("INVALID_DOWNLOAD", `has a file that ${problem}`);
}

function recordOf<T>(reader: MmdbReader<T>, text: string): T | undefined {
  const address = readAddress(text);
  return address && reader.lookup(address).record;
}
