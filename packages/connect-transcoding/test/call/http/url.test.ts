import { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../src/call/http/exchange.js";
import { createUrlReader, isUrlAuthority } from "../../../src/call/http/url.js";
import { reasonOf } from "../../../src/errors/errors.js";
import { errorStatus } from "../../../src/errors/http-error.js";

interface TestRequest {
  readonly authority?: string | undefined;
  readonly rawTarget?: string;
  readonly isSecure?: boolean;
  readonly forwarded?: Readonly<Record<string, string>>;
  /** The address and the port of this server. */
  readonly socket?: { readonly localAddress: string; readonly localPort: number };
}

/** The part of an exchange that the URL is read from. */
const request = ({ forwarded = {}, rawTarget = "/", isSecure = false, socket, ...rest }: TestRequest) => {
  const authority = "authority" in rest ? rest.authority : "a";
  return {
    httpVersion: "1.1",
    rawTarget,
    request: { authority, httpVersion: "1.1", connection: { isSecure, socket } },
    isForwarded: Object.keys(forwarded).length > 0,
    forwarded: (name: string) => forwarded[name],
  } as unknown as Exchange;
};

const NO_HOST = "exactly one Host header";

test.each([
  ["/a?b", "/a", "b"],
  ["/a?b?c", "/a", "b?c"],
  ["/", "/", ""],
  ["", "/", ""],
  ["?x", "/", "x"],
  ["*", "*", ""],
])("the target %j has the path %j and the query %j", (rawTarget, path, query) => {
  expect(createUrlReader(undefined)(request({ rawTarget }))).toEqual({ path, query, baseUrl: "http://a" });
});

describe("the base URL", () => {
  const read = createUrlReader(undefined);

  test("is `publicBaseUrl` if that is set; the authority is checked all the same", () => {
    const readPublic = createUrlReader("https://tools.example/base");
    expect(readPublic(request({})).baseUrl).toBe("https://tools.example/base");
    expect(() => readPublic(request({ authority: "a b" }))).toThrow(NO_HOST);
  });

  test("has the scheme of the connection", () => {
    expect(read(request({ isSecure: true })).baseUrl).toBe("https://a");
    expect(read(request({ isSecure: false })).baseUrl).toBe("http://a");
  });

  test("has the scheme and the host that a trusted proxy forwards", () => {
    const forwarded = { "x-forwarded-host": "b:8080", "x-forwarded-proto": "HTTPS" };
    expect(read(request({ forwarded })).baseUrl).toBe("https://b:8080");
    const cleartext = { "x-forwarded-proto": "http" };
    expect(read(request({ isSecure: true, forwarded: cleartext })).baseUrl).toBe("http://a");
    const unknown = { "x-forwarded-proto": "ftp" };
    expect(read(request({ isSecure: true, forwarded: unknown })).baseUrl).toBe("https://a");
    expect(() => read(request({ forwarded: { "x-forwarded-host": "b c" } }))).toThrow(NO_HOST);
  });

  test("is the same for a repeated authority, and so is the rejection of an invalid one", () => {
    for (let round = 0; round < 2; round++) {
      expect(read(request({ authority: "[::1]:1" })).baseUrl).toBe("http://[::1]:1");
      expect(() => read(request({ authority: "[bad" }))).toThrow(NO_HOST);
      expect(() => read(request({ authority: undefined }))).toThrow(NO_HOST);
    }
    for (let index = 0; index < 1000; index++) {
      expect(read(request({ authority: `h${index}` })).baseUrl).toBe(`http://h${index}`);
    }
  });

  test("needs a valid authority: otherwise the request is rejected with 400", () => {
    try {
      read(request({ authority: undefined }));
      expect.unreachable();
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      expect([errorStatus(error), reasonOf(error)]).toEqual([400, "INVALID_HOST"]);
    }
  });
});

test("a host that is checked is that of this server, or what a trusted proxy forwards", () => {
  const read = createUrlReader(undefined, true);
  const socket = { localAddress: "10.0.0.1", localPort: 80 };
  const forwarded = { "x-forwarded-host": "b" };
  for (let round = 0; round < 2; round++) {
    expect(read(request({ socket, forwarded })).baseUrl).toBe("http://b");
    expect(read(request({ socket, authority: "b" })).baseUrl).toBe("http://10.0.0.1:80");
    expect(read(request({ socket, authority: "10.0.0.1:80" })).baseUrl).toBe("http://10.0.0.1:80");
  }
});

test.each([
  ["example.com", true],
  ["example.com:8080", true],
  ["example.com:", true],
  ["127.0.0.1:1", true],
  ["[2001:db8::1]:443", true],
  ["a_b.example", true],
  ["", false],
  ["user@example.com", false],
  ["a b", false],
  ["a/b", false],
  ["a:65536", false],
  ["a:b", false],
  ["[1]", false],
  ["2001:db8::1", false],
  ["1.2.3.256", false],
  ["a,b", false],
])("isUrlAuthority(%j) is %j", (text, expected) => {
  expect(isUrlAuthority(text)).toBe(expected);
});
