import { isIP } from "node:net";
import { parseWholeNumber } from "./setting-value.js";

/**
 * Whether a text is an IPv4 or IPv6 address or a block of them in CIDR notation
 * (https://www.rfc-editor.org/rfc/rfc4632#section-3.1), such as `10.0.0.0/8`: what `BlockList` of `node:net` takes. Zones
 * are not, for they say nothing to other machines.
 */
export function isAddressBlock(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const family = address.includes("%") ? 0 : isIP(address);
  if (family === 0 || more.length > 0) {
    return false;
  }
  const length = prefix === undefined ? 0 : parseWholeNumber(prefix);
  return length !== undefined && length <= (family === 4 ? 32 : 128);
}
