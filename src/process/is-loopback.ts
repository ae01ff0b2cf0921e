import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether what listens on a host, an address or a name, is reached from this machine alone (RFC 1122, RFC 4291). */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0
    ? /^(.+\.)?localhost\.?$/i.test(host)
    : LOOPBACK.check(host, version === 4 ? "ipv4" : "ipv6");
}
