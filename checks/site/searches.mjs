import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { INDEX_OPTIONS, SEARCH_OPTIONS } from "./search.mjs";

/** Searches, and the page of the first result. */
const SEARCHES = {
  "maximum body size": "/docs/reference/settings",
  "serve without the web page": "/docs/reference/settings",
  "memory of the process": "/docs/guide/capacity",
  "clock drift": "/docs/tools/otp",
  "test a handler": "/docs/guide/testing",
  "rate limit": "/docs/reference/settings",
  docker: "/deploy/",
};

/**
 * Returns a message for each search whose first result is another page.
 *
 * @param {string} site the folder of the built site
 */
export async function missedSearches(site) {
  const { default: MiniSearch } = await import("minisearch");
  const chunks = join(site, "assets", "chunks");
  const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
  const { default: json } = await import(pathToFileURL(join(chunks, file)));
  const index = MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    ...INDEX_OPTIONS,
    searchOptions: SEARCH_OPTIONS,
  });
  return Object.entries(SEARCHES).flatMap(([query, page]) => {
    const [first] = index.search(query);
    return first?.id.includes(page)
      ? []
      : [`the search for "${query}" finds ${first?.id} first, not ${page}`];
  });
}
