import { SERVICES } from "@utility-tools/protos/services.js";
import { afterAll, describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

const server = useServer();
const withoutPage = useServer({ webPage: "off" });

const FILES = [
  ["/docs", "text/html; charset=utf-8"],
  ["/docs/reference.css", "text/css; charset=utf-8"],
  ["/docs/reference.js", "text/javascript; charset=utf-8"],
  ["/docs/icon.svg", "image/svg+xml"],
  ["/favicon.ico", "image/svg+xml"],
  ["/openapi.json", "application/json; charset=utf-8"],
] as const;

describe.each(FILES)("%s", (path, contentType) => {
  test("is served with strict security headers", async () => {
    const { status, headers, text } = await send(`${server.url}${path}?any=query`);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(50);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": contentType,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    const policy = (headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
      ]),
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join(" ")).not.toMatch(/unsafe|https?:|\*/);
  });

  test("is not sent again to a client that has it", async () => {
    const { headers } = await send(`${server.url}${path}`);
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"/);
    const again = await send(`${server.url}${path}`, { headers: { "if-none-match": etag } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
    expect(again.headers.get("etag")).toBe(etag);
    const other = await send(`${server.url}${path}`, { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  test("HEAD returns the headers, OPTIONS the methods, and other methods are rejected", async () => {
    const get = await send(`${server.url}${path}`, { headers: { "accept-encoding": "identity" } });
    const head = await send(`${server.url}${path}`, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" });
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    const options = await send(`${server.url}${path}`, { method: "OPTIONS" });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const rejected = await send(`${server.url}${path}`, { method });
      expect(rejected.status).toBe(405);
      expect(rejected.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      expect(rejected.json).toMatchObject({
        error: { code: 405, details: [{ reason: "METHOD_NOT_ALLOWED" }] },
      });
    }
  });
});

test.each(["gzip", "br"])("large files are compressed with %s", async (coding) => {
  const url = `${server.url}/docs`;
  const plain = await send(url, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBe(null);
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  for (let time = 0; time < 2; time++) {
    const { headers, text } = await send(url, { headers: { "accept-encoding": coding } });
    expect(headers.get("content-encoding")).toBe(coding);
    expect(Number(headers.get("content-length"))).toBeLessThan(plain.text.length / 3);
    expect(text).toBe(plain.text);
  }
});

test("/docs/ redirects to /docs, also below a proxy's path", async () => {
  const { status, headers } = await send(`${server.url}/docs/`, { redirect: "manual" });
  expect(status).toBe(308);
  const location = headers.get("location") ?? "";
  expect(new URL(location, "https://example.com/docs/").pathname).toBe("/docs");
  expect(new URL(location, "https://example.com/tools/docs/").pathname).toBe("/tools/docs");
});

test("the page has only links to served files, to its sections and to sources of data, and no inline scripts", async () => {
  const { text } = await send(`${server.url}/docs`);
  const links = new Set([...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? ""));
  const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map((match) => `#${match[1]}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...links].filter((link) => link.startsWith("#") && !ids.includes(link))).toEqual([]);
  const others = [...links].filter((link) => !link.startsWith("#"));
  const local = others.filter((link) => !link.startsWith("https:"));
  expect(local.filter((link) => link.startsWith("./#/"))).toEqual(["./#/otp"]);
  const relative = [...new Set(local.map((link) => link.replace(/#.*/, "")))];
  expect(relative.toSorted()).toEqual([
    "./",
    "docs/icon.svg",
    "docs/reference.css",
    "docs/reference.js",
    "openapi.json",
  ]);
  for (const link of relative) {
    expect((await send(new URL(link, `${server.url}/docs`).href)).status).toBe(200);
  }
  expect(others.filter((link) => link.startsWith("https:"))).toContain("https://db-ip.com");
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});

test("the page has a section for each method, with examples in four languages", async () => {
  const { text } = await send(`${server.url}/docs`);
  for (const { methods } of Object.values(SERVICES)) {
    for (const { name, parent } of methods) {
      expect(text).toMatch(new RegExp(`\\sid="(?:${name}|[a-z]+${name})"`));
      expect(text).toContain(`/${parent.typeName}/${name}'`);
    }
  }
  const languages = [...text.matchAll(/role="tab" [^>]*>([^<]*)</g)].map((match) => match[1]);
  expect([...new Set(languages)]).toEqual(["curl", "buf curl", "TypeScript", "Python"]);
  expect(languages.filter((language) => language === "Python")).toHaveLength(languages.length / 4);
});

test("the page and its files have at most 60 kB compressed", async () => {
  let length = 0;
  for (const path of ["/docs", "/docs/reference.css", "/docs/reference.js", "/docs/icon.svg"]) {
    const { headers, text } = await send(`${server.url}${path}`, { headers: { "accept-encoding": "gzip" } });
    length += Number(headers.get("content-length") ?? text.length);
  }
  expect(length).toBeLessThan(60_000);
});

test.each([
  "/docs/../package.json",
  "/docs/..%2fpackage.json",
  "/docs/%2e%2e/package.json",
  "/docs/....//package.json",
  "/docs//reference.css",
  "/docs/reference.css/",
  "/docs/package.json",
  "/docs/index.html",
  "/docs/content",
  "/docs%2freference.css",
  "/DOCS",
  "//docs",
])("%s returns 404", async (path) => {
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const { status, body } = await sendRaw(server.port, head);
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: { details: [{ reason: "ROUTE_NOT_FOUND" }] } });
});

test.each(["/", "/workbench/page-00000000.js", "/docs/", ...FILES.map(([path]) => path)])(
  "with WEB_PAGE=off, %s exists only for programs",
  async (path) => {
    const browser = { headers: { accept: "text/html" }, redirect: "manual" } as const;
    expect((await send(`${server.url}${path}`, browser)).status).toBeLessThan(400);
    const { status } = await send(`${withoutPage.url}${path}`, browser);
    expect(status).toBe(path === "/openapi.json" ? 200 : 404);
  },
);

afterAll(() => {
  expect([...server.bugs, ...withoutPage.bugs]).toEqual([]);
});
