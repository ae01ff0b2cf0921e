import { BlockList, isIP } from "node:net";
import { isAddressBlock, isOrigin, parseUrl } from "connect-transcoding-operations/settings/addresses";
import { commaList, type SettingValue } from "connect-transcoding-operations/settings/values";

/**
 * Parses an http or https URL without user, password, query and fragment, to which paths can be added. Returns undefined
 * for any other text.
 */
export function parseBaseUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  const isBase =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(url.href);
  return isBase ? url : undefined;
}

/**
 * Whether a text is the URL of a Redis database: `redis:`, or `rediss:` for TLS, with a host and optional user, password,
 * port and database number (https://www.iana.org/assignments/uri-schemes/prov/redis). A query is rejected because clients
 * ignore it.
 */
export function isRedisUrl(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== "" &&
    /^(?:\/\d{0,5})?$/.test(url.pathname) &&
    !/[?#]/.test(url.href) &&
    isPercentEncoded(url.username) &&
    isPercentEncoded(url.password)
  );
}

/** Whether every percent sign starts an encoded byte of UTF-8. The bundler removes a call of `decodeURIComponent` whose result is not used. */
function isPercentEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text).length >= 0;
  } catch {
    return false;
  }
}

/** The length limit of a DNS name as text (https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4). */
const MAX_NAME_LENGTH = 253;

/** A label of a host name. Container networks use underscores. */
const LABEL = /^(?!-)[a-z\d_-]{1,63}(?<!-)$/i;

/** A name with such a last label is parsed as an IPv4 address (https://url.spec.whatwg.org/#ends-in-a-number-checker). */
const NUMERIC_LABEL = /^(?:\d+|0x[\da-f]*)$/i;

/**
 * Whether a text is an IPv4 or IPv6 address, without brackets, or an ASCII host name, with or without a final dot
 * (https://www.rfc-editor.org/rfc/rfc1123#section-2.1).
 */
export function isHost(text: string): boolean {
  const name = text.replace(/\.$/, "");
  const labels = name.split(".");
  const isHostName =
    name.length <= MAX_NAME_LENGTH &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMERIC_LABEL.test(labels.at(-1) ?? "");
  return isHostName || isIP(text) !== 0;
}

/**
 * 127.0.0.0/8 and ::1 (https://www.iana.org/assignments/iana-ipv4-special-registry, -ipv6-). `BlockList` also matches
 * IPv4-mapped addresses.
 */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Whether a server on this host is reachable from the same machine only: a loopback address, `localhost` or a name below
 * it (https://www.rfc-editor.org/rfc/rfc6761#section-6.3). Other names are not resolved.
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

/** The address or host name to listen on. */
export const HOST: SettingValue<string> = {
  placeholder: "HOST",
  allowed: "an IP address without brackets or a host name",
  parse: (text) => (isHost(text) ? text : undefined),
};

/** A URL to which paths can be added. */
export const BASE_URL: SettingValue<URL> = {
  placeholder: "URL",
  allowed: "an http or https URL without user, query and fragment",
  parse: parseBaseUrl,
};

/** The same as text without a final slash. */
export const BASE_URL_TEXT: SettingValue<string> = {
  ...BASE_URL,
  parse: (text) => parseBaseUrl(text)?.href.replace(/\/+$/, ""),
};

/** A database of Redis or Valkey, possibly with a password. */
export const REDIS_URL: SettingValue<string> = {
  placeholder: "URL",
  allowed:
    "a redis or rediss URL with a host and nothing after the database number; in its password, %, #, / and ? " +
    "are percent-encoded as %25, %23, %2F and %3F",
  parse: (text) => (isRedisUrl(text) ? text : undefined),
};

/** IP addresses and CIDR blocks. */
export const ADDRESS_BLOCKS = commaList(
  "BLOCK",
  "IP addresses or CIDR blocks such as 10.0.0.0/8, joined by commas",
  (text) => (isAddressBlock(text) ? text : undefined),
);

const ORIGIN_LIST = commaList(
  "ORIGIN",
  "* alone, or origins as browsers send them, joined by commas, such as https://app.example or " +
    "http://localhost:3000: lower case, without the scheme's own port, a path, a final slash and wildcards",
  (text) => (text === "*" || isOrigin(text) ? text : undefined),
);

/** Origins, or `*` for all of them. */
export const ORIGINS: SettingValue<readonly string[]> = {
  ...ORIGIN_LIST,
  parse: (text) => {
    const origins = ORIGIN_LIST.parse(text);
    return origins?.includes("*") && origins.length > 1 ? undefined : origins;
  },
};

/** Returns host and port as in a URL, with brackets around an IPv6 address (RFC 3986, section 3.2.2). */
export function formatAuthority(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
