import { addressAfter, type IpAddress, readAddress } from "../../../src/text/ip-address.js";
import type { MmdbResult } from "../../../src/tools/geoip/databases/movable-reader.js";
import { findSpecialPurpose } from "../../../src/tools/geoip/special-purpose.js";

type Lookup<T> = (address: IpAddress) => MmdbResult<T>;

export interface Network<T> extends MmdbResult<T> {
  readonly first: IpAddress;
}

/** Returns the networks in 0.0.0.0/0 or 2000::/3 in order, with or without a record. */
export function* networksOf<T>(lookup: Lookup<T>, family: 4 | 6): Iterable<Network<T>> {
  const lastByte = family === 4 ? 0xff : 0x3f;
  let first = readAddress(family === 4 ? "0.0.0.0" : "2000::");
  while (first !== undefined && (first.bytes[0] ?? 0) <= lastByte) {
    const result: MmdbResult<T> = lookup(first);
    yield { first, ...result };
    first = addressAfter(first, result.prefixLength);
  }
}

/** Leaves out the blocks that the service never looks up. DB-IP has the IPv4 networks again in some of them. */
export function withoutReserved<T>(lookup: Lookup<T>): Lookup<T> {
  return (address) => {
    const { block, prefixLength } = findSpecialPurpose(address);
    return block === undefined ? lookup(address) : { record: undefined, prefixLength };
  };
}
