import { malformed } from "../../errors/http-error.js";
import { splitTarget } from "../../routes/binding/request-path.js";
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
 *
 * @param checksHost whether a host that is not this server's is replaced by the address of the connection
 */
export function createUrlReader(publicBaseUrl: string | undefined, checksHost = false): ReadUrl {
  const secure = new Map<string, string>();
  const cleartext = new Map<string, string>();
  const mustCheck = checksHost && publicBaseUrl === undefined;

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
    const scheme = isSecure ? "https" : "http";
    const own = mustCheck ? ownAuthority(exchange, authority) : authority;
    const baseUrl = publicBaseUrl ?? `${scheme}://${own}`;
    if (mustCheck && (own !== authority || exchange.isForwarded)) {
      // Another connection may not use this host.
      return baseUrl;
    }
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

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The authority of a request if it is this server's: a name or address of this computer, or what a trusted proxy has sent.
 * Otherwise the address of the connection. A host without sockets cannot be checked.
 */
function ownAuthority(exchange: Exchange, authority: string): string {
  const { socket } = exchange.request.connection;
  const local = localAuthority(socket);
  const name = authority.replace(/:\d*$/, "");
  const isOwn = LOOPBACK.test(name) || name === local?.name || exchange.isForwarded;
  return isOwn || local === undefined ? authority : local.authority;
}

/** The address of this server on a connection; undefined if it is not known. */
function localAuthority(socket: HostRequest["connection"]["socket"]) {
  if (socket?.localAddress === undefined) {
    return undefined;
  }
  const address = socket.localAddress.replace(/^::ffff:(?=\d+\.)/i, "");
  const name = address.includes(":") ? `[${address}]` : address;
  return { name, authority: `${name}:${socket.localPort}` };
}

/** The authority of a request. A request of HTTP/1.0 without one is for the address of this server. */
function authorityOf({ authority, httpVersion, connection }: HostRequest): string | undefined {
  if (authority !== undefined || httpVersion !== "1.0" || connection.socket?.localAddress === undefined) {
    return authority;
  }
  return localAuthority(connection.socket)?.authority;
}
