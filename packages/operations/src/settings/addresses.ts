import { BlockList, isIP } from "node:net";
import { parseWholeNumber } from "./values.js";

/**
 * Whether a text is an origin as browsers send it (https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin): scheme,
 * host and non-default port, in lower case, without a path. Other schemes than http and https are allowed, for extensions
 * and apps. `null` is not, because every page that hides its origin shares it; nor are patterns such as
 * `https://*.example`, which the URL Standard parses but no page has as its origin.
 */
export function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined && url.host !== "" && !url.host.includes("*") && `${url.protocol}//${url.host}` === text
  );
}

/** Parses a URL without white space and control characters, which the URL Standard's parser would drop or encode. */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
}

/**
 * Whether a text is an IPv4 or IPv6 address or a CIDR block (https://www.rfc-editor.org/rfc/rfc4632#section-3.1), such as
 * `10.0.0.0/8`: what `BlockList` of `node:net` accepts. Zones are rejected, because they mean nothing to other machines.
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

/** Whether an address is in one of some blocks that {@link isAddressBlock} accepts. */
export function isInBlocks(blocks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = "", prefix] = block.split("/");
    const isIpv4 = isIP(network) === 4;
    list.addSubnet(network, Number(prefix ?? (isIpv4 ? 32 : 128)), isIpv4 ? "ipv4" : "ipv6");
  }
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}
