import { isAddressBlock } from "./address-block.js";
import { isHost } from "./host.js";
import { choice, listOf, type SettingValue } from "./setting-value.js";
import { isOrigin, isRedisUrl, parseBaseUrl } from "./urls.js";

/** Where to listen. */
export const HOST: SettingValue<string> = {
  placeholder: "HOST",
  allowed: "an IP address without brackets or a host name",
  parse: (text) => (isHost(text) ? text : undefined),
};

/**
 * Any path but one with line breaks or other control characters: that is what a file holds, a private key perhaps, and paths
 * are named in errors.
 */
export const FILE: SettingValue<string> = {
  placeholder: "FILE",
  allowed: "the path of a file",
  parse: (text) => (/\p{Cc}/u.test(text) ? undefined : text),
};

/** Paths without commas. */
export const FILES = listOf("FILE", "one path, or several joined by commas", (path) =>
  path === "" ? undefined : FILE.parse(path),
);

/** The start of other URLs. */
export const BASE_URL: SettingValue<URL> = {
  placeholder: "URL",
  allowed: "an http or https URL without user, query and fragment",
  parse: parseBaseUrl,
};

/** The same as text without a final slash, for paths to be put behind it. */
export const BASE_URL_TEXT: SettingValue<string> = {
  ...BASE_URL,
  parse: (text) => parseBaseUrl(text)?.href.replace(/\/+$/, ""),
};

/** A database of Redis or Valkey, maybe with a password. */
export const REDIS_URL: SettingValue<string> = {
  placeholder: "URL",
  allowed: "a redis or rediss URL with a host, and with nothing behind the number of a database",
  parse: (text) => (isRedisUrl(text) ? text : undefined),
};

/** IP addresses and CIDR blocks. */
export const ADDRESS_BLOCKS = listOf(
  "BLOCK",
  "IP addresses or CIDR blocks such as 10.0.0.0/8, joined by commas",
  (text) => (isAddressBlock(text) ? text : undefined),
);

const AREA = choice("AREA", ["docs", "reflection", "metrics"]);

/** What can be open to everybody. */
export const AREAS = listOf(
  AREA.placeholder,
  "one or more of docs, reflection and metrics, joined by commas",
  AREA.parse,
);

const ORIGIN_LIST = listOf(
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
