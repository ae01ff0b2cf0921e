import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { moveToNext } from "./address-range.js";

/** The bytes of an IPv4 or IPv6 address. An IPv4-mapped IPv6 address is represented as the IPv4 address. */
export interface AddressBytes {
  readonly family: 4 | 6;
  /** 4 or 16 bytes, most significant first. */
  readonly bytes: readonly number[];
}

/** An address with its text. */
export interface IpAddress extends AddressBytes {
  /** The canonical text: dotted decimal, or RFC 5952. */
  readonly text: string;
}

/** Creates an address from 4 or 16 bytes. Bytes in ::ffff:0:0/96 (IPv4-mapped) become the IPv4 address. */
export function ipAddress(bytes: readonly number[]): IpAddress {
  if (bytes.length === 16 && isIpv4Mapped(bytes)) {
    return ipAddress(bytes.slice(12));
  }
  return { family: bytes.length === 4 ? 4 : 6, bytes, text: addressText(bytes) };
}

/** The length of an address in bits: 32 or 128. */
export function addressBits(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

/** Returns the lowest address of a family: `0.0.0.0` or `::`. */
export function lowestAddress(family: 4 | 6): IpAddress {
  return ipAddress(new Array<number>(addressBits(family) / 8).fill(0));
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Returns the 16 bytes of an address: IPv4 is mapped. https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2 */
export function mappedBytes({ family, bytes }: AddressBytes): Uint8Array {
  const mapped = new Uint8Array(16);
  if (family === 4) {
    mapped.set(MAPPED);
  }
  mapped.set(bytes, 16 - bytes.length);
  return mapped;
}

/** Returns the network that contains an address, in CIDR notation: `8.8.8.0/24`. */
export function networkOf(address: AddressBytes, prefixLength: number): string {
  return `${addressText(networkBytes(address, prefixLength))}/${prefixLength}`;
}

/** Returns the first address of the network that contains an address. */
function networkBytes(address: AddressBytes, prefixLength: number): number[] {
  const bytes = address.bytes.slice();
  for (let index = prefixLength >> 3; index < bytes.length; index++) {
    bytes[index] = (bytes[index] ?? 0) & byteMask(prefixLength - 8 * index);
  }
  return bytes;
}

/** Returns the first address after the network that contains an address; undefined after the last network. */
export function addressAfter(address: AddressBytes, prefixLength: number): IpAddress | undefined {
  const bytes = networkBytes(address, prefixLength);
  return moveToNext(bytes, prefixLength) === undefined
    ? undefined
    : { family: address.family, bytes, text: addressText(bytes) };
}

/** Returns a byte whose first `bits` bits are set: none for 0 and less, all for 8 and more. */
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

/** Returns the canonical text of 4 or 16 bytes: dotted decimal, or RFC 5952. */
export function addressText(bytes: readonly number[]): string {
  return bytes.length === 4 ? `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}` : formatIpv6(bytes);
}

/**
 * Formats an IPv6 address: lower case, no leading zeros, and `::` for the longest run of two or more zero groups; the first
 * one if several are equally long. https://www.rfc-editor.org/rfc/rfc5952#section-4
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

/** Returns the byte range of the longest run of two or more zero groups; a range after the last byte if there is none. */
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

/** All bytes in hexadecimal. Number.toString and concatenating single digits are slower. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16));
const COLON_HEX = HEX.map((text) => `:${text}`);
const PADDED_HEX = HEX.map((text) => text.padStart(2, "0"));

/** The reason a text is not an IP address. */
export type AddressFailure = Failure<
  "REQUIRED" | "IP_PREFIX_NOT_ALLOWED" | "IP_ZONE_NOT_ALLOWED" | "INVALID_IP_ADDRESS"
>;

/** The maximum length of a text that is parsed: longer than any address with a prefix length or a zone. */
const MAX_LENGTH = 128;

/**
 * Parses an address as {@link readAddress} does, and explains why it cannot.
 *
 * Failures: `REQUIRED` for an empty text, `IP_PREFIX_NOT_ALLOWED` for an address with a prefix length,
 * `IP_ZONE_NOT_ALLOWED` for an IPv6 address with a zone, `INVALID_IP_ADDRESS` for everything else.
 */
export function parseAddress(text: string): Result<IpAddress, AddressFailure> {
  if (text === "") {
    return fail("REQUIRED", "is required: an IPv4 or IPv6 address");
  }
  const address = readAddress(text);
  if (address !== undefined) {
    return ok(address);
  }
  const [beforeSlash = ""] = text.split("/", 1);
  const [beforeZone = ""] = text.split("%", 1);
  if (beforeZone !== text && readAddress(beforeZone)?.family === 6) {
    return fail("IP_ZONE_NOT_ALLOWED", `must not have a zone: use ${beforeZone}`);
  }
  if (beforeSlash !== text && readAddress(beforeSlash) !== undefined) {
    return fail("IP_PREFIX_NOT_ALLOWED", `must not have a prefix length: use ${beforeSlash}`);
  }
  const problem = problemOf(text);
  return fail(
    "INVALID_IP_ADDRESS",
    `must be an IPv4 or IPv6 address, such as 8.8.8.8 or 2001:4860:4860::8888${problem === undefined ? "" : `; ${problem}`}`,
  );
}

/** Says why a text that looks like an address is not one; undefined for other texts. */
function problemOf(text: string): string | undefined {
  if (text.length > MAX_LENGTH) {
    return undefined;
  }
  const trimmed = text.trim();
  if (trimmed !== text && readAddress(trimmed) !== undefined) {
    return `white space is not accepted: use ${trimmed}`;
  }
  const [, bracketed, portAfter] = /^\[(.+)\](:\d+)?$/.exec(text) ?? [];
  if (bracketed !== undefined && readAddress(bracketed) !== undefined) {
    return `${portAfter === undefined ? "brackets are" : "brackets and ports are"} not accepted: use ${bracketed}`;
  }
  const [, host] = /^([\d.]+):\d+$/.exec(text) ?? [];
  if (host !== undefined && readAddress(host) !== undefined) {
    return `ports are not accepted: use ${host}`;
  }
  if (/^\d+(?:\.\d+){3}$/.test(text) && /(?:^|\.)0\d/.test(text)) {
    return "leading zeros are not accepted, because some programs read such numbers as octal";
  }
  return /^[a-z\d_-]+(?:\.[a-z\d_-]+)*\.[a-z]{2,}\.?$/i.test(text)
    ? "host names are not looked up"
    : undefined;
}

/**
 * Parses one IPv4 address in dotted decimal or one IPv6 address in any notation
 * (https://www.rfc-editor.org/rfc/rfc4291#section-2.2). Returns undefined for any other text.
 *
 * Rejects white space, numbers with leading zeros (some programs read them as octal), and short forms of IPv4, because
 * other programs may read them as another address.
 */
export function readAddress(text: string): IpAddress | undefined {
  if (text.length > MAX_LENGTH) {
    return undefined;
  }
  if (text.includes(":")) {
    const bytes = parseIpv6(text);
    return bytes === undefined ? undefined : ipAddress(bytes);
  }
  const bytes = [0, 0, 0, 0];
  // An IPv4 address that parses is in canonical form.
  return readIpv4(text, 0, bytes, 0) ? { family: 4, bytes, text } : undefined;
}

/** A network of IP addresses. */
export interface AddressNetwork {
  /** In CIDR notation: `8.8.8.0/24`. */
  readonly cidr: string;
  /** The first and the last address. */
  readonly first: string;
  readonly last: string;
  /** The number of addresses, in words. */
  readonly size: string;
  readonly prefixLength: number;
}

/** Reads an address with a prefix length, which need not be the first address of its network. Returns undefined for any other text. */
export function readNetwork(text: string): AddressNetwork | undefined {
  const [, start = "", length] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const address = readAddress(start);
  if (address === undefined) {
    return undefined;
  }
  // An IPv4-mapped IPv6 address is read as IPv4.
  const prefixLength = Number(length) - (address.family === 4 && start.includes(":") ? 96 : 0);
  const hostBits = addressBits(address.family) - prefixLength;
  if (prefixLength < 0 || hostBits < 0) {
    return undefined;
  }
  const cidr = networkOf(address, prefixLength);
  const [first = ""] = cidr.split("/");
  const last = address.bytes.map((byte, index) => byte | (~byteMask(prefixLength - 8 * index) & 0xff));
  const size = hostBits <= 32 ? (2 ** hostBits).toLocaleString("en") : `2^${hostBits}`;
  return { cidr, first, last: addressText(last), size, prefixLength };
}

// These functions run for every request. They read each character once, as a code.

const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;

/** The position of `::` in an address without one. */
const NO_GAP = -1;

const NO_DIGIT = -1;
/** The value of each hexadecimal digit, by character code. */
const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

/**
 * Reads four decimal numbers from 0 to 255, without leading zeros, from `start` to the end of the text. Writes them to
 * `bytes` from `at` on. Returns false if the text has another form; some bytes may be written then.
 */
function readIpv4(text: string, start: number, bytes: number[], at: number): boolean {
  let parts = 0;
  let digits = 0;
  let value = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO && code <= NINE) {
      if (digits > 0 && value === 0) {
        return false;
      }
      value = value * 10 + code - ZERO;
      digits++;
      if (value > 255) {
        return false;
      }
    } else {
      if (code !== DOT || digits === 0 || parts === 3) {
        return false;
      }
      bytes[at + parts++] = value;
      digits = 0;
      value = 0;
    }
  }
  bytes[at + parts] = value;
  return parts === 3 && digits > 0;
}

/** Parses eight groups of hexadecimal digits. `::` stands for one or more zero groups, an IPv4 address for the last two. */
function parseIpv6(text: string): number[] | undefined {
  const bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const startsWithGap = text.startsWith("::");
  let length = 0;
  let gap = startsWithGap ? 0 : NO_GAP;
  let digits = 0;
  let group = 0;
  for (let index = startsWithGap ? 2 : 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const digit = HEX_DIGITS[code] ?? NO_DIGIT;
    if (digit !== NO_DIGIT) {
      group = (group << 4) | digit;
      digits++;
    } else if (code === COLON && digits === 0) {
      // The second colon of `::`.
      if (gap !== NO_GAP || length === 0) {
        return undefined;
      }
      gap = length;
    } else if (code === COLON) {
      if (digits > 4 || length === 16) {
        return undefined;
      }
      bytes[length++] = group >> 8;
      bytes[length++] = group & 0xff;
      digits = 0;
      group = 0;
    } else {
      const isIpv4 = code === DOT && length <= 12 && readIpv4(text, index - digits, bytes, length);
      return isIpv4 ? withZerosAt(gap, bytes, length + 4) : undefined;
    }
  }
  if (digits > 0) {
    if (digits > 4 || length === 16) {
      return undefined;
    }
    bytes[length++] = group >> 8;
    bytes[length++] = group & 0xff;
  } else if (gap !== length) {
    // An address can end with `::` but not with a single colon.
    return undefined;
  }
  return withZerosAt(gap, bytes, length);
}

/** Inserts the zero bytes that `::` at `gap` stands for. Returns undefined if the result does not have exactly 16 bytes. */
function withZerosAt(gap: number, bytes: number[], length: number): number[] | undefined {
  if (gap === NO_GAP) {
    return length === 16 ? bytes : undefined;
  }
  const shift = 16 - length;
  if (shift < 2) {
    return undefined;
  }
  for (let index = length - 1; index >= gap; index--) {
    bytes[index + shift] = bytes[index] ?? 0;
    bytes[index] = 0;
  }
  return bytes;
}
