import { isIPv4, isIPv6 } from "node:net";
import type { IncomingRequest } from "../rpc/incoming-request.js";

/** Whom those belong to whose address nobody knows: their connection has gone already. */
const UNKNOWN = "unknown";

/**
 * Under which key a request counts: its API key's name, or else the caller's address – an IPv6 address by its /64, which
 * is what one customer has (RFC 6177), and an IPv4-mapped one as the IPv4 address in it. Short and canonical, whatever
 * the spelling; the three kinds cannot be mistaken for each other.
 */
export function limitKey({
  principal,
  callerAddress,
}: Pick<IncomingRequest, "principal" | "callerAddress">): string {
  if (principal !== undefined) {
    // Names of keys may look like addresses.
    return `key:${principal}`;
  }
  return callerAddress.includes(":")
    ? ipv6Key(callerAddress)
    : isIPv4(callerAddress)
      ? callerAddress
      : UNKNOWN;
}

function ipv6Key(address: string): string {
  if (!isIPv6(address)) {
    return UNKNOWN;
  }
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight groups of an IPv6 address that is known to be one; a zone is left out. */
function groupsOf(address: string): number[] {
  const [withoutZone = ""] = address.split("%", 1);
  const [head = "", tail] = withoutZone.split("::");
  const first = readGroups(head);
  const last = tail === undefined ? [] : readGroups(tail);
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function readGroups(text: string): number[] {
  if (text === "") {
    return [];
  }
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) {
      return [Number.parseInt(group, 16)];
    }
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
