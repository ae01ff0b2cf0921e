import { createClient } from "@redis/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOrigin, isRedisUrl, parseBaseUrl } from "../../../src/service/config/urls.js";

describe("the start of URLs", () => {
  test.each([
    ["https://tools.example", "https://tools.example/"],
    ["HTTP://Tools.Example:80/a/b", "http://tools.example/a/b"],
    ["http://[::1]:4318/", "http://[::1]:4318/"],
    ["http://127.0.0.1:4318/otlp", "http://127.0.0.1:4318/otlp"],
  ])("%s", (text, href) => {
    expect(parseBaseUrl(text)?.href).toBe(href);
  });

  test.each([
    "",
    "tools.example",
    "tools.example:8080",
    "//tools.example",
    "ftp://tools.example",
    "https://",
    "https://user@tools.example",
    "https://:password@tools.example",
    "https://tools.example/?a",
    "https://tools.example/?",
    "https://tools.example/#",
    "https://tools.example:65536",
  ])("%j is none", (text) => {
    expect(parseBaseUrl(text)).toBeUndefined();
  });
});

describe("an origin", () => {
  test.each([
    "https://app.example",
    "http://localhost:3000",
    "http://127.0.0.1",
    "http://[::1]:8080",
    "https://xn--mnchen-3ya.example",
    "https://app.example:80",
    "chrome-extension://abcdefghijklmnop",
    "capacitor://localhost",
  ])("%s is one", (text) => {
    expect(isOrigin(text)).toBe(true);
  });

  test.each([
    "",
    "*",
    "null",
    "app.example",
    "localhost:3000",
    "https://app.example/",
    "https://app.example/a",
    "https://app.example:443",
    "http://app.example:80",
    "https://App.example",
    "HTTPS://app.example",
    "https://münchen.example",
    "https://*.app.example",
    "https://*",
    "https://user@app.example",
    "https://app.example?",
    "https://app.example#",
    "https://",
    "file://",
    "file:///a",
    "data:text/plain,a",
    " https://app.example",
  ])("%j is none", (text) => {
    expect(isOrigin(text)).toBe(false);
  });

  test("of every web URL is one", () => {
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true }), (url) => isOrigin(new URL(url).origin)));
  });

  test("is what the URL Standard writes", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.webUrl().map((url) => new URL(url).origin),
        ),
        (text) => {
          fc.pre(/^https?:/.test(text));
          const isPattern = text.includes("*");
          expect(isOrigin(text)).toBe(!isPattern && URL.canParse(text) && new URL(text).origin === text);
        },
      ),
    );
  });
});

describe("the URL of a Redis database", () => {
  test.each([
    "redis://localhost",
    "redis://localhost/",
    "redis://localhost:6379/0",
    "rediss://user:p%40ss@cache.example:6380/15",
    "redis://:password@127.0.0.1",
    "redis://[::1]:6379",
  ])("%s is one", (text) => {
    expect(isRedisUrl(text)).toBe(true);
    expect(() => createClient({ url: text })).not.toThrow();
  });

  test.each([
    "",
    "localhost:6379",
    "redis:localhost",
    "redis://",
    "redis:///0",
    "redis://:6379",
    "http://localhost:6379",
    "valkey://localhost",
    "unix:///var/run/redis.sock",
    "redis://localhost:65536",
    "redis://localhost/name",
    "redis://localhost/0/1",
    "redis://localhost/-1",
    "redis://localhost/0?timeout=1",
    "redis://localhost/0#",
    "redis://:100%@localhost",
    " redis://localhost",
    "redis://local\thost",
  ])("%j is none", (text) => {
    expect(isRedisUrl(text)).toBe(false);
  });

  test("is one that the client takes, whatever user and password are", () => {
    const text = fc.string({ unit: fc.constantFrom(..."aZ0:@/%?#[] \n\0ß🙂") });
    fc.assert(
      fc.property(text, text, fc.domain(), fc.nat(15), (user, password, host, database) => {
        const url = `redis://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${database}`;
        expect(isRedisUrl(url)).toBe(true);
        expect(createClient({ url }).options).toMatchObject({ socket: { host }, database });
      }),
      // A client takes long to make.
      { numRuns: 20 },
    );
  });
});

test("any text is read or refused", () => {
  const texts = fc
    .tuple(
      fc.constantFrom("", "redis://", "https://", "x-app://"),
      fc.string({ unit: fc.constantFrom(..."aZ0:@/%?#[] \n\0ß🙂") }),
    )
    .map(([start, rest]) => start + rest);
  fc.assert(
    fc.property(texts, (text) => {
      const base = parseBaseUrl(text);
      expect(`${base?.username ?? ""}${base?.search ?? ""}${base?.hash ?? ""}`).toBe("");
      expect(isOrigin(text) && text.endsWith("/")).toBe(false);
      expect(isRedisUrl(text) && !text.startsWith("redis")).toBe(false);
    }),
  );
});
