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
  const bytes = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  return bytes === undefined ? undefined : ipAddress(bytes);
}

/** Four decimal numbers from 0 to 255, without leading zeros. */
function parseIpv4(text: string): number[] | undefined {
  const parts = text.split(".");
  const bytes = parts.map(Number);
  const isValid =
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part)) &&
    Math.max(...bytes) <= 255;
  return isValid ? bytes : undefined;
}

/** Eight groups of hexadecimal digits; `::` stands for one or more of zeros, an IPv4 address for two. */
function parseIpv6(text: string): number[] | undefined {
  const hex = text.includes(".") ? withIpv4AsHex(text) : text;
  const halves = hex?.split("::") ?? [];
  const [left, right] = halves.map(parseGroups);
  if (halves.length === 1) {
    return left?.length === 16 ? left : undefined;
  }
  if (halves.length !== 2 || left === undefined || right === undefined) {
    return undefined;
  }
  const zeros = 16 - left.length - right.length;
  return zeros < 2 ? undefined : [...left, ...new Array<number>(zeros).fill(0), ...right];
}

function withIpv4AsHex(text: string): string | undefined {
  const start = text.lastIndexOf(":") + 1;
  const bytes = parseIpv4(text.slice(start));
  return bytes === undefined ? undefined : text.slice(0, start) + hexGroups(bytes);
}

function hexGroups([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string {
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function parseGroups(text: string): number[] | undefined {
  const groups = text === "" ? [] : text.split(":");
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) {
    return undefined;
  }
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
