import { BlockList, isIP } from "node:net";

/** 127.0.0.0/8 and ::1 (https://www.iana.org/assignments/iana-ipv4-special-registry, -ipv6-); a block list knows IPv4-mapped addresses. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Whether what listens on this host can be reached from the same machine alone: a loopback address, or `localhost` and
 * names below it, which are to resolve to one (https://www.rfc-editor.org/rfc/rfc6761#section-6.3). Any other name is not
 * looked up.
 */
export function isLoopbackHost(host: string): boolean {
  const [address = ""] = host.split("%", 1);
  switch (isIP(address)) {
    case 4:
      return LOOPBACK.check(address, "ipv4");
    case 6:
      return LOOPBACK.check(address, "ipv6");
    default:
      return /^(?:[^%]+\.)?localhost\.?$/i.test(host);
  }
}
