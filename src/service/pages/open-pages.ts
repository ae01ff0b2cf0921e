import type { IncomingRequest } from "connect-transcoding";
import type { OpenPages } from "connect-transcoding-operations/access/require-api-key";

const ICON = "/favicon.ico";

/** What needs a key of the API reference: the page itself only asks for one then. */
export const REFERENCE_CONTENT = "/docs/content";

/** The paths of pages for people. Programs may request them as well. */
const HTML_PAGES: ReadonlySet<string> = new Set(["/", "/docs"]);

/**
 * Returns whether a request is for the workbench or the API reference in a browser, or for a file of one. These are the same for
 * every installation of a version: they hold no data and do not depend on the settings.
 */
function isStaticPage(request: Pick<IncomingRequest, "path" | "protocol" | "header">): boolean {
  const { path, protocol } = request;
  if (protocol !== "page") {
    return false;
  }
  const isHtml = HTML_PAGES.has(path) && /\btext\/html\b/i.test(request.header("accept") ?? "");
  const isFile = /^\/(workbench|docs)\//.test(path) && path !== REFERENCE_CONTENT;
  return isHtml || isFile || path === ICON;
}

/** Returns whether the response at a path depends on the `Accept` of the request: see {@link isStaticPage}. */
function dependsOnAccept({ path, protocol }: Pick<IncomingRequest, "path" | "protocol">): boolean {
  return protocol === "page" && HTML_PAGES.has(path);
}

/** The pages that need no API key. */
export const OPEN_PAGES: OpenPages = { has: isStaticPage, dependsOnAccept };
