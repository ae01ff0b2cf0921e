import { isIPv4, isIPv6 } from "node:net";

/** The 16-bit groups of an IPv6 address, and of the smallest network that a customer gets (RFC 6177). */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Returns what identifies the client at an address: an IPv4 address, also of an IPv4-mapped one, or the /64 network of an IPv6 address;
 * `unknown` for other texts. The result is canonical.
 */
export function clientNetwork(clientAddress: string): string {
  if (isIPv4(clientAddress)) {
    return clientAddress;
  }
  // Link-local IPv6 addresses have a zone.
  const [withoutZone = ""] = clientAddress.split("%", 1);
  if (!isIPv6(withoutZone)) {
    // The connection is already closed, so its address is not known.
    return "unknown";
  }
  const address = canonical(withoutZone);
  const [, high, low] = MAPPED.exec(address) ?? [];
  if (high !== undefined && low !== undefined) {
    return [high, low].map(bytePair).join(".");
  }
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const all = [...groups, ...Array<string>(GROUPS - groups.length - rest.length).fill("0"), ...rest];
  return `${canonical(`${all.slice(0, NETWORK_GROUPS).join(":")}::`)}/64`;
}

/** An IPv4-mapped address. */
const MAPPED = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/;

/** Two bytes of an IPv4 address. */
function bytePair(group: string): string {
  const value = Number.parseInt(group, 16);
  return `${value >> 8}.${value & 0xff}`;
}

/** The shortest text of an IPv6 address (RFC 5952), as URLs write it. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
