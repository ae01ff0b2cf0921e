import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { authorization, checkOptions, serviceUrl } from "../../client/src/options.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each<[string | URL, string]>([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
  [new URL("HTTPS://Example.COM:443/tools//"), "https://example.com/tools"],
  ["http://[::1]:8080", "http://[::1]:8080"],
])("accepts the URL %s", (url, expected) => {
  expect(serviceUrl(url)).toBe(expected);
});

test.each([
  "",
  "/",
  "127.0.0.1:8080",
  "localhost:8080",
  "ftp://127.0.0.1",
  "http://user:hunter2@127.0.0.1",
  "http://hunter2@127.0.0.1",
  "http://127.0.0.1/?key=hunter2",
  "http://127.0.0.1/#hunter2",
])("rejects the URL %j and does not repeat it", (url) => {
  const parse = () => serviceUrl(url);
  expect(parse).toThrow(TypeError);
  expect(parse).not.toThrow(/hunter2/);
});

test("resolves a relative URL against the page", () => {
  vi.stubGlobal("location", { href: "https://example.com/tools/page?query#fragment" });
  expect([serviceUrl("/"), serviceUrl("../api"), serviceUrl(".")]).toEqual([
    "https://example.com",
    "https://example.com/api",
    "https://example.com/tools",
  ]);
});

test("accepts any other text, or throws a TypeError that does not repeat it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: "grapheme" }), (text) => {
      for (const url of [text, `http://${text}`, `http://user:${text}@127.0.0.1`]) {
        try {
          expect(new URL(serviceUrl(url)).href).toMatch(/^https?:/);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect(String(error)).not.toContain(text);
        }
      }
    }),
  );
});

test.each(["ut_iqB7-x_W", "a", "abc==", "A-._~+/9"])("accepts the API key %s", async (key) => {
  checkOptions({ apiKey: key });
  expect(await authorization(key)).toBe(`Bearer ${key}`);
  expect(await authorization(async () => key)).toBe(`Bearer ${key}`);
});

test("writes only valid API keys into headers, and no key into an error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 8, unit: "grapheme" }), async (key) => {
      try {
        const value = await authorization(() => key);
        expect(new Headers({ authorization: value }).get("authorization")).toBe(`Bearer ${key}`);
      } catch (error) {
        expect(ConnectError.from(error).code).toBe(Code.InvalidArgument);
        expect(String(error)).not.toContain(key);
        expect(() => checkOptions({ apiKey: key })).toThrow(ConnectError);
      }
    }),
  );
});

test("does not call the function for the API key before the first call", () => {
  checkOptions({
    apiKey: () => {
      throw new Error("called");
    },
  });
});
