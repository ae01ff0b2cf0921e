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
  const bytes = address.bytes.slice();
  for (let index = prefixLength >> 3; index < bytes.length; index++) {
    bytes[index] = (bytes[index] ?? 0) & byteMask(prefixLength - 8 * index);
  }
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
  for (let index = 0; index < 12; index++) {
    if (bytes[index] !== (index < 10 ? 0 : 0xff)) {
      return false;
    }
  }
  return true;
}

function formatAddress(bytes: readonly number[]): string {
  return bytes.length === 4 ? `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}` : formatIpv6(bytes);
}

/**
 * The canonical text of an IPv6 address: lower case, no leading zeros, and `::` for the longest run of two or
 * more zero groups, the first of several such: https://www.rfc-editor.org/rfc/rfc5952#section-4
 */
function formatIpv6(bytes: readonly number[]): string {
  const { start, end } = longestZeros(bytes);
  let text = "";
  for (let index = 0; index < 16; index += 2) {
    if (index === start) {
      text += "::";
      index = end - 2;
      continue;
    }
    const first = index === 0 || index === end ? HEX : COLON_HEX;
    const high = bytes[index] ?? 0;
    const low = bytes[index + 1] ?? 0;
    text += high === 0 ? first[low] : `${first[high]}${PADDED_HEX[low]}`;
  }
  return text;
}

/** The bytes of the longest run of two or more groups that are zero; one behind all of them when there is none. */
function longestZeros(bytes: readonly number[]): { readonly start: number; readonly end: number } {
  let [start, end] = [16, 18];
  let runStart = 0;
  for (let index = 0; index < 16; index += 2) {
    if (bytes[index] !== 0 || bytes[index + 1] !== 0) {
      runStart = index + 2;
    } else if (index + 2 - runStart > end - start) {
      [start, end] = [runStart, index + 2];
    }
  }
  return { start, end };
}

/** All bytes in hexadecimal, as texts: Number.toString makes them slowly, and so does adding many small ones. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16));
const COLON_HEX = HEX.map((text) => `:${text}`);
const PADDED_HEX = HEX.map((text) => text.padStart(2, "0"));
