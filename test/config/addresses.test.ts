import { BlockList, isIPv4 } from "node:net";
import { createClient } from "@redis/client";
import { isAddressBlock, isInBlocks, isOrigin } from "connect-transcoding-operations/settings/addresses";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHost, isLoopbackHost, isRedisUrl, parseBaseUrl } from "../../src/config/addresses.js";

describe("a base URL", () => {
  test.each([
    ["https://tools.example", "https://tools.example/"],
    ["HTTP://Tools.Example:80/a/b", "http://tools.example/a/b"],
    ["http://[::1]:4318/", "http://[::1]:4318/"],
    ["http://127.0.0.1:4318/otlp", "http://127.0.0.1:4318/otlp"],
  ])("accepts %s", (text, href) => {
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
  ])("rejects %j", (text) => {
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
  ])("accepts %s", (text) => {
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
  ])("rejects %j", (text) => {
    expect(isOrigin(text)).toBe(false);
  });

  test("accepts the origin of every web URL", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => isOrigin(new URL(url).origin)),
      // A URL takes long to draw.
      { numRuns: 30 },
    );
  });

  test("accepts exactly what the URL Standard serializes, without patterns", () => {
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
  ])("accepts %s", (text) => {
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
    "redis://:a#b@localhost",
    "redis://user:1#2@localhost",
    "redis://:a/b@localhost",
    "redis://user:1/2@localhost",
    "redis://:a?b@localhost",
    " redis://localhost",
    "redis://local\thost",
  ])("rejects %j", (text) => {
    expect(isRedisUrl(text)).toBe(false);
  });

  test("is accepted by the client with any user and password", () => {
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

test("any text is parsed or rejected", () => {
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

describe("a host", () => {
  test.each([
    "127.0.0.1",
    "0.0.0.0",
    "::",
    "::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "fe80::1%eth0",
    "localhost",
    "LocalHost",
    "tools.example",
    "tools.example.",
    "a",
    "1a.example",
    "3com.example",
    "xn--mnchen-3ya.example",
    "my_service",
    `${"a".repeat(63)}.example`,
    `${"a.".repeat(126)}a`,
  ])("accepts %s", (text) => {
    expect(isHost(text)).toBe(true);
  });

  test.each([
    "",
    ".",
    " ",
    "a b",
    " localhost",
    "a..b",
    ".a",
    "-a",
    "a-",
    "a.-b.example",
    "[::1]",
    "::1/128",
    "127.0.0.1:8080",
    "localhost:8080",
    "http://localhost",
    "localhost/",
    "127.0.0.256",
    "127.1",
    "1",
    "0x7f.0x1",
    "a.0x7F",
    "127.0.0.01",
    "münchen.example",
    "a@b",
    "*",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(127)}a`,
  ])("rejects %j", (text) => {
    expect(isHost(text)).toBe(false);
  });

  test("accepts every IP address and domain name", () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()), isHost));
  });

  test("rejects characters that end a host in a URL", () => {
    const delimiters = fc.constantFrom(..."/?#@[]\\ \t\n");
    fc.assert(
      fc.property(
        fc.string(),
        delimiters,
        fc.string(),
        (before, delimiter, after) => !isHost(before + delimiter + after),
      ),
    );
  });
});

describe("a loopback host", () => {
  test.each([
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::1%lo",
    "::ffff:127.0.0.1",
    "::FFFF:7f00:1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "tools.localhost",
  ])("accepts %s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "::",
    "126.255.255.255",
    "128.0.0.1",
    "::2",
    "::ffff:128.0.0.1",
    "::ffff:0.0.0.0",
    "::127.0.0.1",
    "fe80::1%lo",
    "10.0.0.1",
    "notlocalhost",
    "localhost.example",
    "127.0.0.1.example",
    "tools.example",
    "%localhost",
    "",
  ])("rejects %j", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });

  test("accepts every IPv4 address in 127.0.0.0/8 and no other", () => {
    fc.assert(fc.property(fc.ipV4(), (host) => isLoopbackHost(host) === host.startsWith("127.")));
    fc.assert(
      fc.property(fc.nat(0xff_ffff), (rest) => {
        const host = `127.${rest >> 16}.${(rest >> 8) & 255}.${rest & 255}`;
        return isLoopbackHost(host) && isLoopbackHost(`::ffff:${host}`);
      }),
    );
  });

  test("rejects any text without an address or localhost", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."1270.:%[]- \n\0ß🙂") }),
        (host) => !isLoopbackHost(host) || /127\.|:|localhost/i.test(host),
      ),
    );
  });
});

describe("an address or CIDR block", () => {
  test.each([
    "10.0.0.0/8",
    "10.1.2.3/8",
    "0.0.0.0/0",
    "192.0.2.1",
    "192.0.2.1/32",
    "::1",
    "::/0",
    "2001:db8::/32",
    "2001:DB8::1/128",
    "::ffff:10.0.0.0/104",
  ])("accepts %s", (text) => {
    expect(isAddressBlock(text)).toBe(true);
  });

  test.each([
    "",
    "/",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/+8",
    "10.0.0.0/08",
    "10.0.0.0/8.0",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "10.0.0/8",
    "10/8",
    "010.0.0.0/8",
    "10.0.0.256",
    "2001:db8::/129",
    "[::1]",
    "fe80::1%eth0",
    "fe80::%eth0/64",
    "localhost",
    "*",
    " 10.0.0.0/8",
  ])("rejects %j", (text) => {
    expect(isAddressBlock(text)).toBe(false);
  });

  /** Whether `BlockList` accepts the block. */
  function isTaken(text: string): boolean {
    const [address = "", prefix] = text.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    try {
      new BlockList().addSubnet(address, prefix === undefined ? 32 : Number(prefix), family);
      return true;
    } catch {
      return false;
    }
  }

  test("accepts exactly what BlockList of Node accepts", () => {
    const addresses = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended());
    fc.assert(
      fc.property(addresses, fc.option(fc.integer({ min: -2, max: 140 })), (address, prefix) => {
        const text = prefix === null ? address : `${address}/${prefix}`;
        expect(isAddressBlock(text)).toBe(isTaken(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."019af.:/%[]- \n\0ß🙂") }),
        (text) => !isAddressBlock(text) || isTaken(text),
      ),
    );
  });
});

test.each([
  ["127.0.0.1", ["10.0.0.0/8"], false],
  ["127.0.0.1", ["10.0.0.0/8", "127.0.0.0/8"], true],
  ["127.0.0.1", ["127.0.0.1"], true],
  ["127.0.0.2", ["127.0.0.1"], false],
  ["127.0.0.1", ["::ffff:127.0.0.0/104"], true],
  ["127.0.0.1", ["::/0"], true],
  ["::1", ["0.0.0.0/0"], false],
  ["::1", ["::1"], true],
  ["::1", ["::/0"], true],
  ["::1", [], false],
])("%s in %j: %j", (address, blocks, expected) => {
  expect(isInBlocks(blocks, address)).toBe(expected);
});
