import { knownOptions } from "@utility-tools/http-server/portable";
import type { Page } from "../call/http/pages.js";
import type { OpenApiDocument } from "../openapi/open-api.js";
import type { HttpResponse } from "../routes/encoding/response-encoder.js";
import { DEFAULT_DOCUMENT, REFERENCE_OPTIONS, type ReferenceOptions, referencePage } from "./page.js";

/** Stands for the server, to resolve relative URLs. */
const SERVER = "http://server.invalid";
const JSON_TYPE = "application/json; charset=utf-8";

/** https://www.w3.org/TR/CSP3/ */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Images in responses are `blob:` URLs.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Returns the pages of a reference, for `pages` of a server: `/docs`, its files below `/docs/`, and the document, unless
 * `documentUrl` is absolute. Links are relative, so that the pages work below a path prefix of a proxy. If every request needs an
 * API key, `/docs` holds nothing of the document and asks for a key; then only `/docs/content` and the document need one, and
 * `onRequest` should let the others pass.
 */
export function referencePages(
  document: OpenApiDocument | Readonly<Record<string, unknown>>,
  options: Omit<ReferenceOptions, "files"> = {},
): ReadonlyMap<string, Page> {
  const { files: _, ...names } = REFERENCE_OPTIONS;
  const page = referencePage(document, knownOptions("referencePages", options, names));
  const { origin, pathname } = new URL(options.documentUrl ?? DEFAULT_DOCUMENT, `${SERVER}/docs`);
  let json: string | undefined;
  // A server that has the document elsewhere never needs its text.
  const documentPage = (): HttpResponse => {
    json ??= JSON.stringify(document);
    return response(JSON_TYPE, json);
  };
  return new Map<string, Page>([
    ["/docs", response("text/html; charset=utf-8", page.isLocked ? page.lockedHtml : page.html)],
    ["/docs/", { status: 308, headers: { location: "../docs" }, body: "" }],
    ...(page.isLocked
      ? [["/docs/content", response("text/html; charset=utf-8", page.content)] as const]
      : []),
    ["/docs/reference.css", response("text/css; charset=utf-8", page.style)],
    ["/docs/reference.js", response("text/javascript; charset=utf-8", page.script)],
    ["/docs/icon.svg", response("image/svg+xml", page.icon)],
    ...(origin === SERVER ? [[pathname, documentPage] as const] : []),
  ]);
}

function response(contentType: string, body: string): HttpResponse {
  const headers = {
    "content-type": contentType,
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
  };
  return { status: 200, headers, body, safe: true };
}
