import { addressAfter, addressBits, type IpAddress, ipAddress } from "../../ip-address.js";
import { type Failure, fail, ok, type Result } from "../../result.js";
import type { MmdbAnswer, MmdbReader } from "./mmdb-reader.js";

/** Why a database that opens is of no use. */
export type TrialFailure = Failure<"CORRUPT_MMDB" | "NO_USABLE_RECORDS">;

/** How many networks from the lowest address on are tried. */
const MAX_NETWORKS = 1_000;
/** How many look-ups are made in a row, some milliseconds with cold code, before others get their turn. */
const LOOKUPS_PER_TURN = 128;

/**
 * Tries a database out: the networks at its beginning, and addresses from all over it. Fails when a look-up
 * throws, as one in a damaged file can in any way down to a stack overflow, and when none of the records says
 * anything, as in a file of another kind or an empty one. Calls that come in meanwhile are answered between the look-ups.
 */
export async function tryLookups<T>(reader: MmdbReader<T>): Promise<Result<MmdbReader<T>, TrialFailure>> {
  let isUsable = false;
  let count = 0;
  try {
    for (const { record } of lookupsIn(reader)) {
      isUsable ||= record !== undefined;
      count += 1;
      if (count % LOOKUPS_PER_TURN === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: a look-up in it fails (${String(error)})`);
  }
  return isUsable ? ok(reader) : fail("NO_USABLE_RECORDS", "has no records of this kind");
}

/** The answers for the lowest networks one by one, and then those for addresses all over. */
function* lookupsIn<T>(reader: MmdbReader<T>): Iterable<MmdbAnswer<T>> {
  const lowest = new Array<number>(addressBits(reader.ipVersion) / 8).fill(0);
  let address: IpAddress | undefined = ipAddress(lowest);
  for (let count = 0; address !== undefined && count < MAX_NETWORKS; count++) {
    const answer: MmdbAnswer<T> = reader.lookup(address);
    yield answer;
    address = addressAfter(address, answer.prefixLength);
  }
  for (const spread of spreadAddresses(reader.ipVersion)) {
    yield reader.lookup(spread);
  }
}

/** 256 addresses; of IPv6 those in 2000::/4, where all that is allocated is. */
function spreadAddresses(family: 4 | 6): IpAddress[] {
  const tail = new Array<number>(addressBits(family) / 8 - 2).fill(0);
  return Array.from({ length: 256 }, (_, index) =>
    ipAddress(family === 4 ? [index, 0x80, ...tail] : [0x20 | (index >> 4), (index << 4) & 0xff, ...tail]),
  );
}
