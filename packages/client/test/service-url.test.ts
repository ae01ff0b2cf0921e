import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { serviceUrl } from "../src/service-url.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each<[string | URL, string]>([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
  [new URL("HTTPS://Example.COM:443/tools//"), "https://example.com/tools"],
  ["http://[::1]:8080", "http://[::1]:8080"],
])("%s", (url, expected) => {
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
])("%j is refused, and not repeated", (url) => {
  const refuse = () => serviceUrl(url);
  expect(refuse).toThrow(TypeError);
  expect(refuse).not.toThrow(/hunter2/);
});

test("a relative one is one of the page", () => {
  vi.stubGlobal("location", { href: "https://example.com/tools/page?query#fragment" });
  expect([serviceUrl("/"), serviceUrl("../api"), serviceUrl(".")]).toEqual([
    "https://example.com",
    "https://example.com/api",
    "https://example.com/tools",
  ]);
});

test("any other text is one or a TypeError that does not repeat it", () => {
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
