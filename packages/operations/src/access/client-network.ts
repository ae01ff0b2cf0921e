import { isIPv4, isIPv6 } from "node:net";
import { clientQueue } from "@utility-tools/http-server";

/**
 * Returns what identifies the client at an address: an IPv4 address, also of an IPv4-mapped one, or the /64 network of an IPv6 address;
 * `unknown` for other texts. The result is canonical.
 */
export function clientNetwork(clientAddress: string): string {
  if (isIPv4(clientAddress)) {
    return clientAddress;
  }
  // Link-local IPv6 addresses have a zone.
  const [withoutZone = ""] = clientAddress.split("%", 1);
  if (!isIPv6(withoutZone)) {
    // The connection is already closed, so its address is not known.
    return "unknown";
  }
  const network = clientQueue(canonical(withoutZone));
  return network.includes(":") ? `${canonical(`${network}::`)}/64` : network;
}

/** The shortest text of an IPv6 address (RFC 5952), as URLs write it. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
