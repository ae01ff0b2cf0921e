/**
 * Reads an http or https URL without user, password, query and fragment: the start of longer ones. Undefined for any
 * other text.
 */
export function parseBaseUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  const isBase =
    url !== undefined && /^https?:$/.test(url.protocol) && !hasCredentials(url) && !/[?#]/.test(url.href);
  return isBase ? url : undefined;
}

/**
 * Whether a text is an origin as browsers send it (https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin): scheme,
 * host and a port that is not the scheme's own, in lower case, without a path. Schemes that are not the web's are for
 * extensions and apps. `null` is none, for everything that hides its origin shares it; nor is a pattern such as
 * `https://*.example`, which no page has for its origin although the URL Standard takes it for one.
 */
export function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined && url.host !== "" && !url.host.includes("*") && `${url.protocol}//${url.host}` === text
  );
}

/**
 * Whether a text is the URL of a Redis database: `redis:`, or `rediss:` for TLS, with a host, and maybe user, password,
 * port, and the number of a database (https://www.iana.org/assignments/uri-schemes/prov/redis). Its query would be lost on
 * clients, so it has none.
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

/** A URL of a text without white space and control characters, which the URL Standard's parser drops or encodes. */
function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** Whether every percent sign starts an octet of UTF-8. */
function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
