import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { INDEX_OPTIONS, SEARCH_OPTIONS } from "./search.mjs";

/** Pages, and searches whose first result they are. */
const SEARCHES = {
  "/deploy/": ["docker", "load balancer"],
  "/deploy/kubernetes/": ["kubernetes", "helm"],
  "/deploy/prometheus/": ["prometheus", "grafana dashboard"],
  "/deploy/proxies/nginx": ["nginx"],
  "/docs/guide/adding-a-tool": ["add a tool"],
  "/docs/guide/agents": ["claude", "mcp"],
  "/docs/guide/before-you-expose-it": ["backup", "gdpr"],
  "/docs/guide/capacity": ["memory of the process", "requests per second"],
  "/docs/guide/clients": ["go client", "openapi", "python"],
  "/docs/guide/more-than-one-machine": ["duckdb", "parquet"],
  "/docs/guide/operations": ["install", "reverse proxy"],
  "/docs/guide/testing": ["test a handler"],
  "/docs/guide/troubleshooting": ["port already in use"],
  "/docs/reference/access": ["api key", "authentication", "cors"],
  "/docs/reference/command-line": ["autocomplete bash", "csv", "exit status"],
  "/docs/reference/connections": ["https certificate"],
  "/docs/reference/data-files": ["geolite2", "update maxmind database"],
  "/docs/reference/processes": ["graceful shutdown", "health check"],
  "/docs/reference/settings": [
    "environment variables",
    "log format",
    "maximum body size",
    "rate limit",
    "serve without the web page",
  ],
  "/docs/reference/telemetry": ["opentelemetry"],
  "/docs/tools/countries": ["iso 3166", "phone number country"],
  "/docs/tools/email": ["disposable email", "gmail dots"],
  "/docs/tools/geoip": ["ip location accuracy"],
  "/docs/tools/otp": ["2fa", "clock drift", "totp"],
  "/docs/tools/qr-codes": ["wifi qr code"],
  "/docs/tutorials/log-file": ["log file ip addresses"],
  "/packages/connect-transcoding/docs/hosts": ["express"],
  "/packages/connect-transcoding/docs/streams": ["server-sent events"],
  "/packages/gateway/": ["grpc gateway"],
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
  const searches = Object.entries(SEARCHES).flatMap(([page, queries]) =>
    queries.map((query) => ({ page, query, first: index.search(query)[0]?.id })),
  );
  return searches
    .filter(({ page, first }) => !first?.includes(page))
    .map(({ page, query, first }) => `the search for "${query}" finds ${first} first, not ${page}`);
}
