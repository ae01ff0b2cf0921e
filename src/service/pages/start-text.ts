import type { HttpResponse, Page, PageRequest } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { once } from "../../once.js";

/** The path of the page, and of the text in its place. */
const START = "/";

/** What a client on a command line gets at `/`: the paths of the methods, and an example. */
function startText({ info, paths }: Pick<OpenApiDocument, "info" | "paths">): string {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([httpMethod, { summary = "" }]) => ({
      route: `${httpMethod.toUpperCase().padEnd(4)} ${path}`,
      summary: summary.replaceAll("`", ""),
    })),
  );
  const width = Math.max(0, ...routes.map(({ route }) => route.length));
  return [
    `${info.title} ${info.version}`,
    "",
    ...routes.map(({ route, summary }) => `${route.padEnd(width)}  ${summary}`.trimEnd()),
    "",
    "Example, with the host and port of this page: curl 'http://127.0.0.1:8080/v1/geoIp?ip_address=8.8.8.8'",
    "Reference: /docs in a browser, /openapi.json for programs",
    "",
  ].join("\n");
}

/** Adds the text to the pages, for clients that do not ask for HTML. */
export function withStartText(
  pages: ReadonlyMap<string, HttpResponse>,
  document: () => Promise<OpenApiDocument>,
): ReadonlyMap<string, Page> {
  const page = pages.get(START);
  if (page === undefined) {
    return pages;
  }
  const html = { ...page, headers: { ...page.headers, vary: "accept" } };
  const plain = once(
    async (): Promise<HttpResponse> => ({
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache", vary: "accept" },
      body: startText(await document()),
      safe: true,
    }),
  );
  const start = (request: PageRequest): HttpResponse | Promise<HttpResponse> =>
    /\btext\/html\b/i.test(request.header("accept") ?? "") ? html : plain();
  return new Map<string, Page>([...pages, [START, start]]);
}
