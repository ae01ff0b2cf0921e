import { expect, test } from "vitest";
import type { Exchange } from "../../src/node/exchange.js";
import { originReader } from "../../src/node/host.js";

// Reading an origin needs no more of an exchange.
const exchange = (authority: string | undefined, rawTarget: string) =>
  ({
    authority,
    authorityHeader: "Host header",
    rawTarget,
    forwarded: () => undefined,
  }) as unknown as Exchange;

test.each([
  ["/a?b", "/a?b", "/a"],
  ["/a?b?c", "/a?b?c", "/a"],
  ["/", "/", "/"],
  ["", "/", "/"],
  ["?x", "/?x", "/"],
  ["*", "*", "*"],
])("the target %j is %j, its path %j", (rawTarget, target, path) => {
  expect(originReader(undefined)(exchange("a", rawTarget))).toEqual({ target, path, baseUrl: "http://a" });
});

test("the base URL is the setting where there is one, and the authority is checked all the same", () => {
  const read = originReader("https://tools.example/base");
  expect(read(exchange("a", "/")).baseUrl).toBe("https://tools.example/base");
  expect(() => read(exchange("a b", "/"))).toThrow("exactly one Host header");
});

test("an authority is as good or bad the second time", () => {
  const read = originReader(undefined);
  for (let round = 0; round < 2; round++) {
    expect(read(exchange("[::1]:1", "/")).baseUrl).toBe("http://[::1]:1");
    expect(() => read(exchange("[bad", "/"))).toThrow("exactly one Host header");
    expect(() => read(exchange(undefined, "/"))).toThrow("exactly one Host header");
  }
  for (let index = 0; index < 1000; index++) {
    expect(read(exchange(`h${index}`, "/")).baseUrl).toBe(`http://h${index}`);
  }
});
