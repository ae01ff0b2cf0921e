import { isIPv6 } from "node:net";
import { boundedCache } from "../bounded-cache.js";
import { malformed } from "../errors/http-error.js";
import { splitTarget } from "../request/request-path.js";
import type { Exchange } from "./exchange.js";

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

/** Where a request says it goes. */
export interface Origin {
  /** Path and query: the request target in origin form, or `*`. */
  readonly target: string;
  /** The target up to its first `?`. */
  readonly path: string;
  /** How the caller reaches this service: scheme and authority, no final slash. */
  readonly baseUrl: string;
}

/** Reads where a request goes. Throws a 400 HttpError when it has no authority or more than one, or one that is none. */
export type ReadOrigin = (exchange: Exchange) => Origin;

/** Authorities of a scheme that are remembered as good; callers choose theirs, so that there must be an end to it. */
const MAX_KNOWN = 256;

/**
 * Makes what reads where requests go. `publicBaseUrl` is how callers reach this service, if that is not what their
 * requests say, or trusted proxies in `X-Forwarded-Host` and `X-Forwarded-Proto`. HTTP/1.0 is held to an authority as well,
 * since answers need it for their URLs.
 */
export function originReader(publicBaseUrl: string | undefined): ReadOrigin {
  const secure = boundedCache<string, string>(MAX_KNOWN);
  const cleartext = boundedCache<string, string>(MAX_KNOWN);

  function baseUrlOf(exchange: Exchange): string {
    const { authorityHeader } = exchange;
    const authority = exchange.forwarded("x-forwarded-host") ?? exchange.authority;
    const isSecure = isHttps(exchange);
    const baseUrls = isSecure ? secure : cleartext;
    const known = authority === undefined ? undefined : baseUrls.get(authority);
    if (known !== undefined) {
      return known;
    }
    if (authority === undefined || !isAuthority(authority)) {
      throw malformed(
        "INVALID_HOST",
        `the request needs exactly one ${authorityHeader}: a host and an optional port`,
      );
    }
    const baseUrl = publicBaseUrl ?? `${isSecure ? "https" : "http"}://${authority}`;
    baseUrls.set(authority, baseUrl);
    return baseUrl;
  }

  return (exchange) => {
    const baseUrl = baseUrlOf(exchange);
    const { rawTarget } = exchange;
    const target = rawTarget === "" || rawTarget.startsWith("?") ? `/${rawTarget}` : rawTarget;
    return { baseUrl, target, path: splitTarget(target).path };
  };
}

/** Whether the caller's own connection is encrypted, which only a trusted proxy knows if it is not the caller's to us. */
function isHttps(exchange: Exchange): boolean {
  const forwarded = exchange.forwarded("x-forwarded-proto")?.toLowerCase();
  return forwarded === "https" || (forwarded !== "http" && exchange.isSecure);
}
