import { httpOptionsOf, type MethodOptions } from "connect-transcoding/rules";
import type { Config } from "../config/config.js";

/** The settings that responses depend on besides the URL of the request. */
export type CachingSettings = Pick<Config, "apiKeysFile" | "publicBaseUrl" | "rateLimit" | "trustedProxies">;

/**
 * Returns the options of methods with `private` in place of `public` in `Cache-Control` if shared caches must not store any
 * response; undefined if they may.
 *
 * They must not if every request needs an API key, because a cache does not check keys and does not know `X-API-Key`; if responses
 * have the rate limit of a client in their headers; or if URLs in responses depend on `X-Forwarded-Host` and `X-Forwarded-Proto`,
 * which are not part of the URL that a cache stores a response for.
 * https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.7
 */
export function cachingOptions({
  apiKeysFile,
  publicBaseUrl,
  rateLimit,
  trustedProxies,
}: CachingSettings): MethodOptions | undefined {
  const hasForwardedUrls = publicBaseUrl === undefined && trustedProxies.length > 0;
  if (apiKeysFile === undefined && rateLimit === undefined && !hasForwardedUrls) {
    return undefined;
  }
  return (method) => {
    const options = httpOptionsOf(method);
    return { ...options, cacheControl: options.cacheControl.replace(/^public\b/, "private") };
  };
}
