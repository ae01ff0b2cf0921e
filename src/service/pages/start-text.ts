import type { HttpResponse, Page, PageRequest } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";

/** The path of the page, and of the text in its place. */
const START = "/";

/**
 * What a client on a command line gets at `/`: an example, and the paths of the methods.
 *
 * @param baseUrl the start of the URL in the example, without a final slash
 */
function startText({ info, paths }: Pick<OpenApiDocument, "info" | "paths">, baseUrl: string): string {
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
    `Example: curl '${baseUrl}/v1/geoIp?ip_address=8.8.8.8'`,
    "",
    ...routes.map(({ route, summary }) => `${route.padEnd(width)}  ${summary}`.trimEnd()),
    "",
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
  let last: { readonly baseUrl: string; readonly response: HttpResponse } | undefined;
  const plain = async (baseUrl: string): Promise<HttpResponse> => {
    const shown = await document();
    // The compressed forms of a response that is returned again are kept.
    if (last?.baseUrl !== baseUrl) {
      last = {
        baseUrl,
        response: {
          status: 200,
          headers: {
            "content-type": "text/plain; charset=utf-8",
            "cache-control": "no-cache",
            vary: "accept",
          },
          body: startText(shown, baseUrl),
          safe: true,
        },
      };
    }
    return last.response;
  };
  const start = (request: PageRequest): HttpResponse | Promise<HttpResponse> =>
    /\btext\/html\b/i.test(request.header("accept") ?? "") ? html : plain(request.baseUrl);
  return new Map<string, Page>([...pages, [START, start]]);
}
