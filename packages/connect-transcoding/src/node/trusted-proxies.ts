import { BlockList, isIP, isIPv4 } from "node:net";

/** Proxies whose forwarding headers are honored. */
export interface TrustedProxies {
  /** Whether an address belongs to a trusted proxy. */
  trusts(peerAddress: string): boolean;
  /**
   * The address of the client: the right-most address in `X-Forwarded-For` that does not belong to a trusted proxy, because
   * each proxy appends the address of its client and clients can forge the rest. Falls back to the last known address at an
   * entry that is not an address, and to the address of the connection if its peer is not trusted.
   */
  clientOf(peerAddress: string, forwardedFor: string | undefined): string;
}

/** The number of addresses to read from a header: chains of proxies are short. */
const MAX_HOPS = 32;

/** Trusts addresses and CIDR blocks (RFC 4632; RFC 4291, section 2.3), which must be well-formed. */
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
    clientOf: (peerAddress, forwardedFor) => {
      let client = plainAddress(peerAddress);
      const hops = forwardedFor === undefined ? [] : forwardedFor.split(",");
      for (const hop of hops.slice(-MAX_HOPS).reverse()) {
        const address = addressOf(hop.trim());
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

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4-mapped IPv6 address, as sockets for both families report it, as IPv4 (RFC 4291, section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.startsWith("::") ? (MAPPED.exec(address)?.[1] ?? address) : address;
}
