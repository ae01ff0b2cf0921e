import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainAddress } from "../../src/index.js";
import { trustedProxies } from "../../src/platform/node.js";

describe("with proxies in 10.0.0.0/8, 2001:db8:1::/48 and at 192.0.2.1", () => {
  const { clientOf, trusts } = trustedProxies(["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.1"]);

  test.each<[string, string, string | undefined, string]>([
    ["an untrusted connection", "203.0.113.9", undefined, "203.0.113.9"],
    ["an untrusted connection with a header", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a proxy without the header", "10.0.0.1", undefined, "10.0.0.1"],
    ["one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["an address that the client has sent itself", "10.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"],
    ["a chain of proxies", "10.0.0.1", "198.51.100.1,10.9.9.9 , 192.0.2.1", "198.51.100.1"],
    ["proxies only", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["a proxy with an IPv6 address", "2001:db8:1::5", "2001:db8:2::7", "2001:db8:2::7"],
    ["a proxy on a dual-stack socket", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a client on a dual-stack socket", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["ports", "10.0.0.1", "198.51.100.1:4711, [2001:db8:1::2]:80", "198.51.100.1"],
    ["IPv6 in brackets", "10.0.0.1", "[2001:db8:2::1]", "2001:db8:2::1"],
    ["a last hop that is not an address", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["a hop before the client that is not an address", "10.0.0.1", "unknown, 198.51.100.1", "198.51.100.1"],
    ["an obfuscated hop before a proxy", "10.0.0.1", "_hidden, 10.0.0.7", "10.0.0.7"],
    ["a byte that is no white space", "10.0.0.1", "198.51.100.1\xa0", "10.0.0.1"],
    ["a zone", "10.0.0.1", "fe80::1%eth0", "10.0.0.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["a closed connection", "", "198.51.100.1", ""],
  ])("%s", (_, peer, forwardedFor, client) => {
    expect(clientOf(peer, forwardedFor)).toBe(client);
  });

  test("reads at most 32 hops", () => {
    const hops = ["198.51.100.1", ...new Array<string>(40).fill("10.0.0.2")];
    expect(clientOf("10.0.0.1", hops.join(","))).toBe("10.0.0.2");
  });

  test("trusts those addresses only", () => {
    expect(["10.255.0.1", "::ffff:10.1.1.1", "192.0.2.1", "2001:db8:1:2::"].map(trusts)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["11.0.0.1", "192.0.2.2", "2001:db8:2::", "::1", "", "x"].map(trusts)).toEqual(
      new Array(6).fill(false),
    );
  });

  test("returns an address for any header: one that the header names, or that of the proxy", () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant("10.0.0.2"));
    fc.assert(
      fc.property(fc.array(hop), (hops) => {
        const header = hops.join(",");
        const client = clientOf("10.0.0.1", header);
        expect(isIP(client)).not.toBe(0);
        expect(client === "10.0.0.1" || header.includes(client)).toBe(true);
      }),
    );
  });
});

test.each([
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  // express-rate-limit #667: the bits decide, not the spelling.
  ["::ffff:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["0000:0000:0000:0000:0000:FFFF:C000:0201", "192.0.2.1"],
  ["::ffff:0:c000:201", "::ffff:0:c000:201"],
  ["64:ff9b::192.0.2.1", "64:ff9b::192.0.2.1"],
  ["::1", "::1"],
  ["192.0.2.1", "192.0.2.1"],
  ["", ""],
])("plainAddress(%j) is %j", (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

test.each([
  "",
  "proxy",
  "10.0.0.0/",
  "10.0.0.0/33",
  "10.0.0.0/8/9",
  "10.0.0.0/-1",
  "10.0.0/8",
  " 10.0.0.1",
  "::1/129",
  "fe80::1%eth0",
])("rejects %j", (block) => {
  const message = `trustedProxies: ${JSON.stringify(block)} is not an IP address or a CIDR block such as 10.0.0.0/8`;
  expect(() => trustedProxies([block])).toThrow(new TypeError(message));
});

test.each(["0.0.0.0/0", "10.0.0.1/32", "::/0", "2001:db8::1/128"])("accepts %s", (block) => {
  expect(() => trustedProxies([block])).not.toThrow();
});
