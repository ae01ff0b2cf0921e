import { networksOf } from "../../../data/build/cities/networks.js";
import { type IpAddress, ipAddress } from "../../../src/text/ip-address.js";
import { lookupByFamily, type ReadersByFamily } from "../../../src/tools/geoip/lookup-ip.js";
import { toBytes, toNumber } from "./test-databases.js";

/** Returns the same random numbers in every run: a linear congruential generator of 64 bits. */
export function randomNumbers(seed: bigint): (bits: number) => bigint {
  let state = seed;
  const next32 = () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return state >> 32n;
  };
  return (bits) => {
    let number = 0n;
    for (let have = 0; have < bits; have += 32) {
      number = (number << 32n) | next32();
    }
    return number & ((1n << BigInt(bits)) - 1n);
  };
}

/** Returns a function that draws from all IPv4 addresses. */
export function drawIpv4(random: (bits: number) => bigint): () => IpAddress {
  return () => ipAddress(toBytes(random(32), 32));
}

/**
 * Returns a function that draws a network with a record in 2000::/3, then an address in it. Hardly any other part of 2000::/3
 * is in use.
 */
export function drawIpv6(
  readers: ReadersByFamily<unknown>,
  random: (bits: number) => bigint,
): () => IpAddress {
  const networks = [...networksOf((each) => lookupByFamily(readers, each), 6)].filter(
    ({ record }) => record !== undefined,
  );
  return () => {
    const network = networks[Number(random(32)) % networks.length];
    if (network === undefined) {
      throw new Error("there are no records of IPv6 addresses");
    }
    return ipAddress(toBytes(toNumber(network.first) | random(128 - network.prefixLength), 128));
  };
}
