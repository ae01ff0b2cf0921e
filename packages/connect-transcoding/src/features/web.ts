import type { PagesOf } from "../call/http/pages.js";
import type { Description } from "./description.js";

/** Throws a TypeError: a bundle would have the code of all features, and of the Model Context Protocol, whether they are used or not. */
export function describedPages(_description: Description): PagesOf {
  throw new TypeError(
    "openapi, docs and mcp are options for Node, Bun and Deno; here, pass transcoding.pages with the pages of connect-transcoding/reference",
  );
}
