import type { HttpAnswer } from "../transcoding/answer.js";

/** What a page of ours is, or a file that one loads. */
export interface Page {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Where its images may come from beside files of our own: sources of Content Security Policy. */
  readonly imageSources: readonly string[];
  /** Default: browsers ask each time whether it is still the same. */
  readonly cacheControl?: string;
}

/** The answer that gives a page. Nothing is loaded from elsewhere, sent elsewhere or shown elsewhere. */
export function pageAnswer({ contentType, body, imageSources, cacheControl = "no-cache" }: Page): HttpAnswer {
  const headers = {
    "content-type": contentType,
    "cache-control": cacheControl,
    "content-security-policy": contentSecurityPolicy(imageSources),
    "referrer-policy": "no-referrer",
  };
  return { status: 200, headers, body, safe: true };
}

/** https://www.w3.org/TR/CSP3/ */
function contentSecurityPolicy(imageSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...imageSources].join(" ")}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
