import { type Failure, fail, ok, type Result } from "../../result.js";
import { type IpAddress, ipAddress } from "./ip-address.js";

/** Why a text is not an address that can be looked up. */
export type AddressFailure = Failure<
  "REQUIRED" | "IP_PREFIX_NOT_ALLOWED" | "IP_ZONE_NOT_ALLOWED" | "INVALID_IP_ADDRESS"
>;

/** Longer than every address, with room for a prefix length or a zone to be recognised. */
const MAX_LENGTH = 128;

/**
 * Reads the text of one IPv4 address in dotted decimal or of one IPv6 address
 * (https://www.rfc-editor.org/rfc/rfc4291#section-2.2) in any spelling. An IPv4-mapped IPv6 address gives the
 * IPv4 address in it.
 *
 * Strict on purpose: no white space, no numbers with leading zeros (some programs read those as octal), no
 * short forms of IPv4. Whatever was meant by them, it could be another address than the one that is answered.
 *
 * Failures: `REQUIRED` for an empty text, `IP_PREFIX_NOT_ALLOWED` and `IP_ZONE_NOT_ALLOWED` for an address
 * that something follows, `INVALID_IP_ADDRESS` for all the rest.
 */
export function parseAddress(text: string): Result<IpAddress, AddressFailure> {
  if (text === "") {
    return fail("REQUIRED", "an IPv4 or IPv6 address is required");
  }
  const address = parseBounded(text);
  if (address !== undefined) {
    return ok(address);
  }
  const [beforeSlash = ""] = text.split("/", 1);
  const [beforeZone = ""] = text.split("%", 1);
  if (beforeZone !== text && parseBounded(beforeZone)?.family === 6) {
    return fail(
      "IP_ZONE_NOT_ALLOWED",
      `must be an address without a zone: ${beforeZone}, with nothing from "%" on`,
    );
  }
  if (beforeSlash !== text && parseBounded(beforeSlash) !== undefined) {
    return fail(
      "IP_PREFIX_NOT_ALLOWED",
      `must be one address without a prefix length: ${beforeSlash}, with nothing from "/" on`,
    );
  }
  return fail(
    "INVALID_IP_ADDRESS",
    "must be an IPv4 address in dotted decimal, such as 8.8.8.8, or an IPv6 address, such as " +
      "2001:4860:4860::8888; host names, ports, brackets, white space and leading zeros in IPv4 are not accepted",
  );
}

function parseBounded(text: string): IpAddress | undefined {
  if (text.length > MAX_LENGTH) {
    return undefined;
  }
  if (text.includes(":")) {
    const bytes = parseIpv6(text);
    return bytes === undefined ? undefined : ipAddress(bytes);
  }
  const bytes = [0, 0, 0, 0];
  // What parses this strictly is in canonical form.
  return readIpv4(text, 0, bytes, 0) ? { family: 4, bytes, text } : undefined;
}

// From here on, characters are codes, and each is looked at once: these functions run for every request.

const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;

/** Where `::` is in an address that has none. */
const NO_GAP = -1;

const NO_DIGIT = -1;
/** What a character is worth as a hexadecimal digit, by its code. */
const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

/**
 * Reads four decimal numbers from 0 to 255, without leading zeros, from `start` to the end of the text into the
 * four bytes from `at` on. Whether that is what the text has there; when it is not, some bytes may be written.
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

/** Eight groups of hexadecimal digits; `::` stands for one or more of zeros, an IPv4 address for the last two. */
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
      // The second of two colons.
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
    // A text may end with two colons, not with one.
    return undefined;
  }
  return withZerosAt(gap, bytes, length);
}

/** Moves the bytes behind the gap to the end; undefined when it stands for nothing, or there is none and bytes are missing. */
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
