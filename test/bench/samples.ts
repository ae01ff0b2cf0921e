import type { Random } from "../fuzz/random.js";

/**
 * A random address, nine times of ten an IPv4 one. It need not be a public one, and of some public ones nothing is known:
 * whoever needs an answer has to ask first.
 */
export function randomAddress({ below, oneIn }: Random): string {
  const group = () => (1 + below(0xffff)).toString(16);
  // In 2a00::/12 most networks are in use; of all of IPv6 nearly none are.
  return oneIn(10)
    ? `2a0${below(16).toString(16)}:${group()}:${group()}::${group()}`
    : `${1 + below(223)}.${below(256)}.${below(256)}.${below(256)}`;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A random secret of 160 bits in base32. */
export function randomSecret({ below }: Random): string {
  return Array.from({ length: 32 }, () => BASE32.charAt(below(BASE32.length))).join("");
}
