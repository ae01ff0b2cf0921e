import { importByName } from "#platform";
import type { Page, PagesOf, PostPage } from "../call/http/pages.js";
import { loadOnce } from "../call/load-once.js";
import { type Description, loadComments } from "./description.js";
import type { ApiInfo } from "./options.js";

/** The paths of the reference. */
const DOCS = ["/docs", "/docs/", "/docs/reference.css", "/docs/reference.js", "/docs/icon.svg"];
const DOCUMENT = "/openapi.json";

/** Returns the function that creates the pages of features, which load their content at the first request. Throws a TypeError for `mcp` in a bundle. */
export function describedPages(description: Description): PagesOf {
  const { openapi, docs, mcp, prefix } = description;
  const tools = mcp ? toolsPage(openapi) : undefined;
  return (api) => {
    const load = loadOnce(async () => (await import("./describe.js")).describe(description, api));
    const pageAt =
      (path: string): Page =>
      async (request) => {
        const page = (await load()).get(path);
        if (page === undefined) {
          throw new Error(`the reference has no page ${path}`);
        }
        return typeof page === "function" ? page(request) : page;
      };
    const paths = docs ? [DOCUMENT, ...DOCS] : [DOCUMENT];
    const pages = new Map<string, Page | PostPage>(paths.map((path) => [prefix + path, pageAt(path)]));
    if (tools !== undefined) {
      pages.set(`${prefix}/mcp`, tools);
    }
    return pages;
  };
}

const MAX_REQUEST_BYTES = 1024 * 1024;

/** The endpoint of the Model Context Protocol. */
function toolsPage(openapi: ApiInfo): PostPage {
  if (importByName === undefined) {
    throw new TypeError(
      'a bundle cannot load the optional package of mcp: true; set transcoding.pages to new Map([["/mcp", mcpPage(…)]]), by connect-transcoding/mcp',
    );
  }
  const importMcp = importByName<typeof import("../mcp/index.js")>;
  const load = loadOnce(async () => {
    const { mcpPage } = await importMcp("connect-transcoding/mcp");
    const { title: name, version } = openapi;
    return mcpPage({
      info: { name, version },
      comments: () => loadComments(openapi),
      maxRequestBytes: MAX_REQUEST_BYTES,
    });
  });
  return {
    maxRequestBytes: MAX_REQUEST_BYTES,
    protocol: "mcp",
    post: async (request, body, caller) => {
      // The bytes are valid now only.
      const copy = new Uint8Array(body);
      return (await load()).post(request, copy, caller);
    },
  };
}
