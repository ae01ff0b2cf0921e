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

const policy = (images: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'${images}; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe.each(FILES)("%s", (path, contentType) => {
  test("is served with strict security headers", async () => {
    const { status, headers, text } = await send(`${server.url}${path}?any=query`);
    expect(status).toBe(200);
    const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
    expect((await send(`${server.url}${path}`, again)).status).toBe(304);
    expect(text.length).toBeGreaterThan(50);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": contentType,
      "cache-control": "no-cache",
      "content-security-policy": policy(path.startsWith("/docs") ? " blob:" : ""),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  });
});

test("/docs/ redirects to /docs, also below a proxy's path", async () => {
  const { status, headers } = await send(`${server.url}/docs/`, { redirect: "manual" });
  expect(status).toBe(308);
  const location = headers.get("location") ?? "";
  expect(new URL(location, "https://example.com/docs/").pathname).toBe("/docs");
  expect(new URL(location, "https://example.com/tools/docs/").pathname).toBe("/tools/docs");
});

test("the page has links to served files and to sources of data", async () => {
  const { text } = await send(`${server.url}/docs`);
  const links = [...text.matchAll(/\s(?:src|href)="([^#"][^"]*)"/g)].map((match) => match[1] ?? "");
  const local = links.filter((link) => !link.startsWith("https:"));
  expect([...new Set(local)].toSorted()).toEqual([
    "./",
    "./#/otp",
    "docs/icon.svg",
    "docs/reference.css",
    "docs/reference.js",
    "openapi.json",
  ]);
  for (const link of local) {
    expect((await send(new URL(link, `${server.url}/docs`).href)).status).toBe(200);
  }
  expect(links).toContain("https://db-ip.com");
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
