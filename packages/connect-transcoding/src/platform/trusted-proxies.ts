import { BlockList, isIP, isIPv4 } from "node:net";
import { plainAddress, trimField } from "@utility-tools/http-server/portable";
import type { TrustedProxies } from "./platform.js";

/** The number of addresses to read from a header: chains of proxies are short. */
const MAX_HOPS = 32;

/** An address without a zone, and the length of a prefix. */
const BLOCK = /^([^/%]+)(?:\/(\d{1,3}))?$/;

/** Trusts addresses and CIDR blocks (RFC 4632; RFC 4291, section 2.3). Throws a TypeError for any other text. */
export function trustedProxies(blocks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const block of blocks) {
    const [, address = "", prefix] = BLOCK.exec(block) ?? [];
    const [family, bits] = isIPv4(address) ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
    const length = Number(prefix ?? bits);
    if (isIP(address) === 0 || length > bits) {
      throw new TypeError(
        `trustedProxies: ${JSON.stringify(block)} is not an IP address or a CIDR block such as 10.0.0.0/8`,
      );
    }
    list.addSubnet(address, length, family);
  }
  const trusts = (address: string): boolean =>
    isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");

  return {
    trusts: (peerAddress) => trusts(plainAddress(peerAddress)),
    clientOf: (peerAddress, forwardedFor) => {
      let client = plainAddress(peerAddress);
      const hops = forwardedFor === undefined ? [] : forwardedFor.split(",");
      for (const hop of hops.slice(-MAX_HOPS).reverse()) {
        const address = addressOf(trimField(hop));
        if (!trusts(client) || address === undefined) {
          break;
        }
        client = address;
      }
      return client;
    },
  };
}

/** The address of one hop. Some proxies add a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(hop: string): string | undefined {
  const text = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop;
  return isIP(text) === 0 || text.includes("%") ? undefined : plainAddress(text);
}
