import { createContext, runInContext } from "node:vm";
import { build, type Rollup } from "vite";
import { expect, test } from "vitest";

const ENTRY = new URL("bundle-entry.ts", import.meta.url).pathname;

/** What a bundle finds in a runtime with the standards of the web, and the global `Buffer`. */
const GLOBALS = [
  ...["AbortController", "AbortSignal", "Blob", "Buffer", "CompressionStream", "DOMException"],
  ...["DecompressionStream", "Error", "Headers", "ReadableStream", "Request", "Response", "TextDecoder"],
  ...["TextEncoder", "TypeError", "URL", "URLSearchParams", "Uint8Array", "WritableStream", "atob", "btoa"],
  ...["clearTimeout", "console", "crypto", "performance", "queueMicrotask", "setTimeout", "structuredClone"],
] as const;

/** Bundles the entry as for Cloudflare Workers, in one file, and runs it. */
async function runBundle(): Promise<typeof import("./bundle-entry.js")> {
  const output = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["utility-tools-source", "workerd", "browser"] },
    build: { write: false, lib: { entry: ENTRY, name: "bundle", formats: ["iife"] } },
  });
  const [{ output: chunks } = { output: [] }] = output as unknown as Rollup.RollupOutput[];
  expect(chunks).toHaveLength(1);
  const { code, imports } = chunks[0] as Rollup.OutputChunk;
  expect(imports).toEqual([]);
  const context = createContext(Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]])));
  return runInContext(`${code}; bundle`, context);
}

test("a bundle for other runtimes serves a document, a reference and tools", async () => {
  const { createTranscodingHandler, mcpPage, shelfRoutes } = await runBundle();
  const openapi = { title: "Shelves", version: "1.2.3" };
  const routes = shelfRoutes();
  expect(() => createTranscodingHandler({ routes, openapi, mcp: true })).toThrow(
    new TypeError(
      'a bundle cannot load the optional package of mcp: true; set transcoding.pages to new Map([["/mcp", mcpPage(…)]]), by connect-transcoding/mcp',
    ),
  );
  const handler = createTranscodingHandler({
    ...{ routes, openapi, docs: true, health: true, reflection: true },
    transcoding: { pages: new Map([["/mcp", mcpPage({ info: { name: "Shelves", version: "1" } })]]) },
  });
  const post = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(body),
  });
  const calls: [path: string, init: RequestInit, expected: string][] = [
    ["/v1/shelves/1/books/2", {}, '"name":"shelves/1/books/2"'],
    ["/openapi.json", {}, '"title":"Shelves","version":"1.2.3"'],
    ["/docs", {}, "Shelves</title>"],
    ["/grpc.health.v1.Health/Check", post({}), '{"status":"SERVING"}'],
    ["/mcp", post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), '"name":"service_get_book"'],
  ];
  for (const [path, init, expected] of calls) {
    const response = await handler(new Request(`http://localhost${path}`, init));
    expect([path, response.status, await response.text()]).toEqual([
      path,
      200,
      expect.stringContaining(expected),
    ]);
  }
  const compressed = await handler(
    new Request("http://localhost/openapi.json", { headers: { "accept-encoding": "gzip" } }),
  );
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
});
