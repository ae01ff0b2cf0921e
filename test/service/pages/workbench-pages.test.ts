import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { workbenchPages } from "../../../src/service/pages/static-pages.js";

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "utility-tools-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

async function responses(root: string) {
  const pages = [...(await workbenchPages(root))];
  return new Map(pages.map(([path, page]) => [path, typeof page === "function" ? undefined : page]));
}

describe("the built files", () => {
  test("are served at their paths, the page at /", async () => {
    const root = folder({
      "index.html": "<p>",
      "workbench/a-1.js": "1;",
      "workbench/b-2.css": "b{}",
      "c.svg": "<svg>",
    });
    const pages = await responses(root);
    expect([...pages.keys()].sort()).toEqual(["/", "/c.svg", "/workbench/a-1.js", "/workbench/b-2.css"]);
    expect(pages.get("/workbench/a-1.js")?.body.toString()).toBe("1;");
    const types = ["/", "/workbench/a-1.js", "/workbench/b-2.css", "/c.svg"].map(
      (path) => pages.get(path)?.headers["content-type"],
    );
    expect(types).toEqual([
      "text/html; charset=utf-8",
      "text/javascript; charset=utf-8",
      "text/css; charset=utf-8",
      "image/svg+xml",
    ]);
  });

  test("are immutable if their names contain a hash", async () => {
    const names = [
      "index.html",
      "workbench/a-b-c_D-0123.js",
      "workbench/licenses.md",
      "workbench/long-name.js",
    ];
    const pages = await responses(folder(Object.fromEntries(names.map((name) => [name, "x"]))));
    const caching = [...pages].map(([path, page]) => [path, page?.headers["cache-control"]]);
    expect(Object.fromEntries(caching)).toEqual({
      "/": "no-cache",
      "/workbench/a-b-c_D-0123.js": "public, max-age=31536000, immutable",
      "/workbench/licenses.md": "no-cache",
      "/workbench/long-name.js": "no-cache",
    });
  });

  test("with the service worker, which may control the page above its folder", async () => {
    const pages = await responses(folder({ "workbench/offline.js": "1;", "workbench/other.js": "1;" }));
    const scopes = [...pages].map(([path, page]) => [path, page?.headers["service-worker-allowed"]]);
    expect(Object.fromEntries(scopes)).toEqual({
      "/workbench/offline.js": "../",
      "/workbench/other.js": undefined,
    });
  });

  test("throw if a file has no media type", async () => {
    await expect(workbenchPages(folder({ "workbench/x.wasm": "" }))).rejects.toThrow("workbench/x.wasm");
  });
});

test("without a build, / redirects to the API reference, also below a path prefix of a proxy", async () => {
  const pages = await responses(join(folder({}), "not-there"));
  expect([...pages]).toEqual([["/", { status: 302, headers: { location: "docs" }, body: "" }]]);
  expect(new URL("docs", "https://example.com/tools/").pathname).toBe("/tools/docs");
});
