/** An IPv4 or IPv6 address. IPv4-mapped IPv6 addresses do not occur: they are the IPv4 address in them. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 bytes, the most significant first. */
  readonly bytes: readonly number[];
  /** The canonical text: dotted decimal, or as in RFC 5952. */
  readonly text: string;
}

/** The address of 4 or 16 bytes; 16 that begin like ::ffff:0:0/96 give the IPv4 address in the last four. */
export function ipAddress(bytes: readonly number[]): IpAddress {
  if (bytes.length === 16 && isIpv4Mapped(bytes)) {
    return ipAddress(bytes.slice(12));
  }
  return { family: bytes.length === 4 ? 4 : 6, bytes, text: formatAddress(bytes) };
}

/** How many bits an address of this family has: 32 or 128. */
export function addressBits(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

/** The network of the given prefix length that an address is in, in CIDR notation: `8.8.8.0/24`. */
export function networkOf(address: IpAddress, prefixLength: number): string {
  const bytes = address.bytes.map((byte, index) => byte & byteMask(prefixLength - 8 * index));
  return `${formatAddress(bytes)}/${prefixLength}`;
}

/** The first address behind the network of this prefix length that an address is in; none behind the last. */
export function addressAfter(address: IpAddress, prefixLength: number): IpAddress | undefined {
  const bytes = [...address.bytes];
  for (let index = bytes.length - 1, carry = 1; index >= 0; index--) {
    const mask = byteMask(prefixLength - 8 * index);
    // The host bits are filled with ones before one is added, so that the carry runs through them.
    const sum = ((bytes[index] ?? 0) | (~mask & 0xff)) + carry;
    bytes[index] = sum & 0xff;
    carry = sum >> 8;
    if (index === 0 && carry === 1) {
      return undefined;
    }
  }
  return { family: address.family, bytes, text: formatAddress(bytes) };
}

/** The byte in which the first `bits` bits are ones; none for 0 and less, all for 8 and more. */
function byteMask(bits: number): number {
  return bits <= 0 ? 0 : bits >= 8 ? 0xff : (0xff00 >> bits) & 0xff;
}

function isIpv4Mapped(bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => index >= 12 || byte === (index < 10 ? 0 : 0xff));
}

function formatAddress(bytes: readonly number[]): string {
  return bytes.length === 4 ? bytes.join(".") : formatIpv6(bytes);
}

/**
 * The canonical text of an IPv6 address: lower case, no leading zeros, and `::` for the longest run of two or
 * more zero groups, the first of several such: https://www.rfc-editor.org/rfc/rfc5952#section-4
 */
function formatIpv6(bytes: readonly number[]): string {
  const groups: string[] = [];
  let longest = { start: 0, length: 1 };
  let run = { start: 0, length: 0 };
  for (let index = 0; index < 8; index++) {
    const group = ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0);
    groups.push(group.toString(16));
    run = group === 0 ? { start: run.start, length: run.length + 1 } : { start: index + 1, length: 0 };
    if (run.length > longest.length) {
      longest = run;
    }
  }
  if (longest.length < 2) {
    return groups.join(":");
  }
  const before = groups.slice(0, longest.start).join(":");
  const after = groups.slice(longest.start + longest.length).join(":");
  return `${before}::${after}`;
}
