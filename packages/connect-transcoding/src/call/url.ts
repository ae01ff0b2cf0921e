import { malformed } from "../errors/http-error.js";
import { splitTarget } from "../routes/binding/request-path.js";
import type { Exchange, HostRequest } from "./exchange.js";

// RFC 3986, section 3.2.2, without percent-encoding and sub-delims, which no host name has.
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|[A-Za-z0-9._~-]{1,255})(?::([0-9]{0,5}))?$/;

/**
 * Whether a `Host` header or `:authority` is a host with an optional port (RFC 9110, section 7.2; RFC 9113, section
 * 8.3.1). It becomes part of URLs in responses, so anything doubtful is rejected: user
 * information, white space, a port above 65535, a name that the URL Standard parses as an invalid IPv4 address.
 */
export function isUrlAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  if (match === null) {
    return false;
  }
  const [, , port] = match;
  return Number(port ?? 0) <= 65_535 && URL.canParse(`http://${text}`);
}

/** The URL of a request. */
export interface RequestUrl {
  /** The path of the request target in origin form, or `*`. */
  readonly path: string;
  /** The query without the `?`; empty without one. */
  readonly query: string;
  /** How the client reaches this server: scheme and authority, no final slash. */
  readonly baseUrl: string;
}

/** Reads the URL of a request. Throws a ConnectError with status 400 unless the request has exactly one valid authority. */
export type ReadUrl = (exchange: Exchange) => RequestUrl;

/** The number of valid authorities to cache per scheme. It is bounded because clients choose them. */
const MAX_KNOWN = 256;

/**
 * Creates the function that reads the URL of requests. `publicBaseUrl` overrides what requests and the forwarding headers
 * of trusted proxies say. Every request needs an authority, because responses contain URLs.
 */
export function createUrlReader(publicBaseUrl: string | undefined): ReadUrl {
  const secure = new Map<string, string>();
  const cleartext = new Map<string, string>();

  function baseUrlOf(exchange: Exchange): string {
    const authority = exchange.forwarded("x-forwarded-host") ?? authorityOf(exchange.request);
    const isSecure = isHttps(exchange);
    const baseUrls = isSecure ? secure : cleartext;
    const known = authority === undefined ? undefined : baseUrls.get(authority);
    if (known !== undefined) {
      return known;
    }
    if (authority === undefined || !isUrlAuthority(authority)) {
      throw malformed(
        "INVALID_HOST",
        `the request needs exactly one ${exchange.httpVersion === "2.0" ? ":authority" : "Host header"}: a host and an optional port`,
      );
    }
    const baseUrl = publicBaseUrl ?? `${isSecure ? "https" : "http"}://${authority}`;
    if (baseUrls.size >= MAX_KNOWN) {
      baseUrls.clear();
    }
    baseUrls.set(authority, baseUrl);
    return baseUrl;
  }

  return (exchange) => {
    const baseUrl = baseUrlOf(exchange);
    const { rawTarget } = exchange;
    const target = rawTarget === "" || rawTarget.startsWith("?") ? `/${rawTarget}` : rawTarget;
    const { path, query } = splitTarget(target);
    return { baseUrl, path, query };
  };
}

/** Whether the connection of the client is encrypted, which a trusted proxy tells if it ends at the proxy. */
function isHttps(exchange: Exchange): boolean {
  const forwarded = exchange.forwarded("x-forwarded-proto")?.toLowerCase();
  return forwarded === "https" || (forwarded !== "http" && exchange.request.connection.isSecure);
}

/** The authority of a request. A request of HTTP/1.0 without one is for the address of this server. */
function authorityOf({ authority, httpVersion, connection }: HostRequest): string | undefined {
  if (authority !== undefined || httpVersion !== "1.0" || connection.socket?.localAddress === undefined) {
    return authority;
  }
  const { localAddress, localPort } = connection.socket;
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
