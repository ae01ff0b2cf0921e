import { BlockList, isIP, isIPv4 } from "node:net";

/** Knows which callers speak for others, and for whom. */
export interface TrustedProxies {
  /** Whether what the other end of a connection says of its own caller is believed. */
  trusts(peerAddress: string): boolean;
  /**
   * The address of who asks: the right-most in `X-Forwarded-For` that is no trusted proxy's, for each proxy adds the one
   * it was asked by; what stands before it anyone may have written. Where something else than an address is in the way, the
   * last that is known, and the other end of the connection where that is not trusted.
   */
  callerOf(peerAddress: string, forwardedFor: string | undefined): string;
}

/** How many addresses in a header are looked at: chains of proxies are short. */
const MAX_HOPS = 32;

/**
 * Makes it of addresses and CIDR blocks (RFC 4632; RFC 4291, section 2.3), which must be well-formed.
 */
export function trustedProxies(blocks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", prefix] = block.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(prefix ?? (family === "ipv4" ? 32 : 128)), family);
  }
  const trusts = (address: string): boolean =>
    isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");

  return {
    trusts: (peerAddress) => trusts(plainAddress(peerAddress)),
    callerOf: (peerAddress, forwardedFor) => {
      let caller = plainAddress(peerAddress);
      const hops = forwardedFor === undefined ? [] : forwardedFor.split(",");
      for (const hop of hops.slice(-MAX_HOPS).reverse()) {
        const address = addressOf(hop.trim());
        if (!trusts(caller) || address === undefined) {
          break;
        }
        caller = address;
      }
      return caller;
    },
  };
}

/** The address of one hop, which some proxies write with a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(hop: string): string | undefined {
  const text = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop;
  return isIP(text) === 0 || text.includes("%") ? undefined : plainAddress(text);
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address as itself, where a socket for both families shows it as an IPv6 one (RFC 4291, section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.startsWith("::") ? (MAPPED.exec(address)?.[1] ?? address) : address;
}
