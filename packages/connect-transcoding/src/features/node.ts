import type { Page, PagesOf, PostPage } from "../call/http/pages.js";
import { type Description, loadComments } from "./description.js";
import type { ApiInfo } from "./options.js";

// The features that describe an API, for the import `#features`. `web.ts` is the same for bundles, which would have all of them.

/** The paths of the reference. */
const DOCS = ["/docs", "/docs/", "/docs/reference.css", "/docs/reference.js", "/docs/icon.svg"];
const DOCUMENT = "/openapi.json";

/** Returns the function that creates the pages of features, which load their content at the first request. */
export function describedPages(description: Description): PagesOf {
  const { openapi, docs, mcp, prefix } = description;
  return (api) => {
    let loaded: Promise<ReadonlyMap<string, Page>> | undefined;
    const load = (): Promise<ReadonlyMap<string, Page>> => {
      loaded ??= import("./describe.js").then(({ describe }) => describe(description, api));
      // What failed may work next time.
      loaded.catch(() => {
        loaded = undefined;
      });
      return loaded;
    };
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
    if (mcp) {
      pages.set(`${prefix}/mcp`, toolsPage(openapi));
    }
    return pages;
  };
}

/** A name that bundlers do not follow: the package that it needs is optional. */
const MCP: string = "connect-transcoding/mcp";
const MAX_REQUEST_BYTES = 1024 * 1024;

/** The endpoint of the Model Context Protocol. */
function toolsPage(openapi: ApiInfo): PostPage {
  let loaded: Promise<PostPage> | undefined;
  const load = async (): Promise<PostPage> => {
    const { mcpPage }: typeof import("../mcp/index.js") = await import(
      /* @vite-ignore */ /* webpackIgnore: true */ MCP
    );
    const { title: name, version } = openapi;
    return mcpPage({
      info: { name, version },
      comments: () => loadComments(openapi),
      maxRequestBytes: MAX_REQUEST_BYTES,
    });
  };
  return {
    maxRequestBytes: MAX_REQUEST_BYTES,
    protocol: "mcp",
    post: async (request, body, caller) => {
      // The bytes are valid now only.
      const copy = new Uint8Array(body);
      loaded ??= load();
      return (await loaded).post(request, copy, caller);
    },
  };
}
