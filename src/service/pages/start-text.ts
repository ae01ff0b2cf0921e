import type { HttpResponse, Page, PageRequest } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";

/** The path of the page, and of the text in its place. */
const START = "/";

/** What a client on a command line gets at `/`: the paths of the methods, and an example. */
export function startText({ info, paths }: Pick<OpenApiDocument, "info" | "paths">): string {
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
export function withStartText(pages: ReadonlyMap<string, Page>, text: string): ReadonlyMap<string, Page> {
  const page = pages.get(START);
  if (page === undefined) {
    return pages;
  }
  const plain: HttpResponse = {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache", vary: "accept" },
    body: text,
    safe: true,
  };
  const start = async (request: PageRequest): Promise<HttpResponse> => {
    if (!/\btext\/html\b/i.test(request.header("accept") ?? "")) {
      return plain;
    }
    const html = typeof page === "function" ? await page(request) : page;
    return { ...html, headers: { ...html.headers, vary: "accept" } };
  };
  return new Map([...pages, [START, start]]);
}
