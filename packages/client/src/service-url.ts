/** Where the service is, as the transports of connect take it: no slash at the end. */
export type ServiceUrl = string;

/**
 * Checks the URL of the service. What stands before its methods may be a path, for a proxy that serves it below one. A relative
 * URL is one of the page that the client is on.
 *
 * Throws a `TypeError`, which never repeats the URL: it may have a password in it.
 */
export function serviceUrl(url: string | URL): ServiceUrl {
  const { location } = globalThis as { location?: { readonly href: string } };
  let parsed: URL;
  try {
    parsed = new URL(url, location?.href);
  } catch {
    throw new TypeError("the URL of the service is not a URL; one is http://127.0.0.1:8080");
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new TypeError("the URL of the service must begin with http:// or https://");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("the URL of the service must have no user and no password; a key goes into apiKey");
  }
  if (parsed.search !== "" || parsed.hash !== "") {
    throw new TypeError("the URL of the service must have neither a query nor a fragment");
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}
