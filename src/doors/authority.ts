import { isIPv6 } from "node:net";

// RFC 3986, section 3.2.2, without percent-encoding and sub-delims, which no host name has.
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|[A-Za-z0-9._~-]{1,255})(?::([0-9]{0,5}))?$/;

/**
 * Whether a `Host` header or `:authority` (RFC 9110, section 7.2; RFC 9113, section 8.3.1) is a host with an
 * optional port. It becomes part of URLs in answers, and connect-node builds a URL of it, so that anything doubtful
 * is refused: user information, white space, a port above 65535, a name that the URL Standard takes for a broken
 * IPv4 address.
 */
export function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  if (match === null) {
    return false;
  }
  const [, ipv6, port] = match;
  const validHost = ipv6 === undefined || isIPv6(ipv6);
  return validHost && Number(port ?? 0) <= 65_535 && URL.canParse(`http://${text}`);
}
