import { type Failure, fail, ok, type Result } from "../../result.js";
import { addressAfter, addressBits, type IpAddress, ipAddress } from "./ip-address.js";
import type { MmdbReader } from "./mmdb-reader.js";

/** Why a database that opens is of no use. */
export type TrialFailure = Failure<"CORRUPT_MMDB" | "NO_USABLE_RECORDS">;

/** How many networks from the lowest address on are tried. */
const MAX_NETWORKS = 1_000;

/**
 * Tries a database out: the networks at its beginning, and addresses from all over it. Fails when a look-up
 * throws, as one in a damaged file can in any way down to a stack overflow, and when none of the records says
 * anything, as in a file of another kind or an empty one.
 */
export function tryLookups<T>(reader: MmdbReader<T>): Result<MmdbReader<T>, TrialFailure> {
  let usable = false;
  let address: IpAddress | undefined = ipAddress(
    new Array<number>(addressBits(reader.ipVersion) / 8).fill(0),
  );
  try {
    for (let count = 0; address !== undefined && count < MAX_NETWORKS; count++) {
      const { record, prefixLength } = reader.lookup(address);
      usable ||= record !== undefined;
      address = addressAfter(address, prefixLength);
    }
    for (const spread of spreadAddresses(reader.ipVersion)) {
      usable ||= reader.lookup(spread).record !== undefined;
    }
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: a look-up in it fails (${String(error)})`);
  }
  return usable ? ok(reader) : fail("NO_USABLE_RECORDS", "has no records of this kind");
}

/** 256 addresses; of IPv6 those in 2000::/4, where all that is allocated is. */
function spreadAddresses(family: 4 | 6): IpAddress[] {
  const tail = new Array<number>(addressBits(family) / 8 - 2).fill(0);
  return Array.from({ length: 256 }, (_, index) =>
    ipAddress(family === 4 ? [index, 0x80, ...tail] : [0x20 | (index >> 4), (index << 4) & 0xff, ...tail]),
  );
}
