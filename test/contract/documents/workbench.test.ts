import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

/** The page is built for these tests. */
const folder = mkdtempSync(join(tmpdir(), "workbench-"));
afterAll(() => rmSync(folder, { recursive: true }));

const server = useServer(async () => {
  await build({
    configFile: join(import.meta.dirname, "../../../vite.config.ts"),
    build: { outDir: folder },
  });
  return { workbenchFolder: folder };
});
/** The page's files by path, found by following references. */
const files = new Map<string, { readonly text: string; readonly headers: Headers }>();

/** Browsers ask for HTML. */
const BROWSER = { headers: { accept: "text/html,*/*;q=0.8" } };

beforeAll(async () => {
  const page = await send(`${server.url}/`, BROWSER);
  const queue = linksOf(page.text).filter((link) => link.startsWith("./"));
  for (let link = queue.shift(); link !== undefined; link = queue.shift()) {
    const { pathname } = new URL(link, `${server.url}/`);
    if (!files.has(pathname)) {
      const { status, text, headers } = await send(`${server.url}${pathname}`);
      expect([pathname, status]).toEqual([pathname, 200]);
      files.set(pathname, { text, headers });
      const names = text.match(/[\w-]+-[\w-]{8}\.(?:js|css|svg|json)\b/g) ?? [];
      queue.push(...names.map((name) => `./workbench/${name}`));
    }
  }
});
afterAll(() => {
  expect(server.bugs).toEqual([]);
});

function linksOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? "");
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe("the page", () => {
  test("is at /, is always revalidated, and has strict security headers", async () => {
    const { status, headers, text } = await send(`${server.url}/?any=query`, BROWSER);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": POLICY,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
    const again = await send(`${server.url}/`, {
      headers: { ...BROWSER.headers, "if-none-match": headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  test("is a text with the paths and an example for other clients", async () => {
    const { status, headers, text } = await send(`${server.url}/`);
    expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      expect.stringMatching(/\baccept\b/i),
    ]);
    expect(text).toMatch(/^GET {2}\/v1\/geoIp +Locates an IP address/m);
    const [, example = ""] = /curl '(\S+)'/.exec(text) ?? [];
    expect(example).toMatch(`${server.url}/v1/`);
    expect((await send(example)).status).toBe(200);
  });

  test("has only relative links, all of them valid", async () => {
    const links = linksOf((await send(`${server.url}/`, BROWSER)).text).filter(
      (link) => !link.startsWith("#"),
    );
    expect(links).toEqual(expect.arrayContaining(["docs", "openapi.json"]));
    for (const link of links) {
      expect(link).toMatch(/^(\.\/)?[a-z]/);
      expect(new URL(link, "https://example.com/tools/").pathname).toMatch(/^\/tools\//);
      expect((await send(new URL(link, `${server.url}/`).href)).status).toBe(200);
    }
  });
});

describe("its files", () => {
  test("are complete", () => {
    const names = [...files.keys()];
    expect(names.filter((name) => name.endsWith(".js")).length).toBeGreaterThanOrEqual(4);
    expect(names.filter((name) => name.endsWith(".css")).length).toBeGreaterThanOrEqual(2);
  });

  test("have content hashes in their names and are cached forever", () => {
    for (const [path, { headers }] of files) {
      expect(path).toMatch(/^\/workbench\/[\w-]+-[\w-]{8}\.(js|css|svg|json)$/);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("content-security-policy")).toBe(POLICY);
    }
  });

  test("do not evaluate text, insert markup or load anything from other hosts", () => {
    const text = [...files.values()].map((file) => file.text).join("\n");
    expect(text).not.toMatch(/\beval\(|new Function\b/);
    const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]);
    const linked = ["db-ip.com", "www.naturalearthdata.com", "www.rfc-editor.org"];
    // Namespaces, and URLs in comments and errors of libraries.
    const mentioned = ["www.w3.org", "example.com", "127.0.0.1", "reactjs.org", "github.com"];
    const known = [...linked, ...mentioned];
    const unknown = hosts.filter((host) => host !== undefined && !known.includes(host));
    expect(unknown, "Add hosts that the page only links to `linked`").toEqual([]);
    expect(text).not.toMatch(/@import|@font-face/);
  });

  test("include the licenses of bundled packages", async () => {
    const { status, headers, text } = await send(`${server.url}/workbench/licenses.md`);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-cache");
    for (const name of ["preact", "@bufbuild/protobuf", "@connectrpc/connect", "qr"]) {
      expect(text).toContain(`${name} `);
    }
  });

  test.each(["gzip", "br"])("are less than 245 kB with %s", async (coding) => {
    let size = 0;
    for (const path of ["/", ...files.keys()]) {
      const { headers } = await send(`${server.url}${path}`, { headers: { "accept-encoding": coding } });
      size += Number(headers.get("content-length"));
    }
    expect(size).toBeGreaterThan(30_000);
    expect(size).toBeLessThan(245_000);
  });

  test.each(["/workbench/", "/workbench", "/index.html", "/workbench/../package.json", "/workbench/x.js"])(
    "are the only ones: %s returns 404",
    async (path) => {
      const { status } = await sendRaw(
        server.port,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(status).toBe(404);
    },
  );
});
