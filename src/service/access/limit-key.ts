import { isIPv4 } from "node:net";
import type { IncomingRequest } from "connect-transcoding";

/** Whom those belong to whose address nobody knows: their connection has gone already. */
const UNKNOWN = "unknown";

/**
 * Under which key a request counts: its API key's name, or else the caller's address – an IPv6 address by its /64, which
 * is the least that one customer has (RFC 6177), and an IPv4-mapped one as the IPv4 address in it. Short and canonical,
 * whatever the spelling; the three kinds cannot be mistaken for each other.
 */
export function limitKey({
  principal,
  callerAddress,
}: Pick<IncomingRequest, "principal" | "callerAddress">): string {
  if (principal !== undefined) {
    // Names of keys may look like addresses.
    return `key:${principal}`;
  }
  return isIPv4(callerAddress) ? callerAddress : ipv6Key(callerAddress);
}

function ipv6Key(address: string): string {
  const groups = readIpv6(address);
  if (groups === undefined) {
    return UNKNOWN;
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = groups;
  // RFC 4291, section 2.5.5.2. What sockets write is an IPv4 address already; proxies may spell it otherwise.
  if ((a | b | c | d | e) === 0 && f === 0xffff) {
    return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  }
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`;
}

const COLON = 0x3a;

/**
 * The eight groups of an IPv6 address (RFC 4291, section 2.2), whose zone is left out; undefined for anything else. Reads each
 * character once, since `net.isIPv6` alone takes longer than the rest of a request's count.
 */
function readIpv6(address: string): readonly number[] | undefined {
  const end = address.includes("%") ? address.indexOf("%") : address.length;
  const groups: number[] = [];
  let gap = -1;
  let index = 0;
  if (address.startsWith("::")) {
    gap = 0;
    index = 2;
  }
  while (index < end) {
    const start = index;
    let group = 0;
    for (let digit = hexDigit(address, index, end); digit >= 0; digit = hexDigit(address, ++index, end)) {
      group = (group << 4) | digit;
    }
    if (address[index] === "." && isIPv4(address.slice(start, end))) {
      const [a = 0, b = 0, c = 0, d = 0] = address.slice(start, end).split(".").map(Number);
      groups.push((a << 8) | b, (c << 8) | d);
      break;
    }
    if (index === start || index - start > 4 || groups.push(group) > 8) {
      return undefined;
    }
    if (index === end) {
      break;
    }
    if (address.charCodeAt(index++) !== COLON) {
      return undefined;
    }
    if (address.charCodeAt(index) === COLON && gap < 0) {
      gap = groups.length;
      index++;
    } else if (index === end) {
      return undefined;
    }
  }
  if (gap < 0) {
    return groups.length === 8 ? groups : undefined;
  }
  // The gap stands for one group at the least.
  return groups.length < 8 ? groups.toSpliced(gap, 0, ...ZEROS.slice(groups.length)) : undefined;
}

const ZEROS = Array.from({ length: 8 }, () => 0);

/** What the character at an index is worth as a hexadecimal digit; -1 for others, and from the end on. */
function hexDigit(text: string, index: number, end: number): number {
  if (index >= end) {
    return -1;
  }
  const code = text.charCodeAt(index);
  if (code >= 0x30 && code <= 0x39) {
    return code - 0x30;
  }
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
