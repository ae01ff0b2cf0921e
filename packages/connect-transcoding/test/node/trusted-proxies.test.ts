import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainAddress, trustedProxies } from "../../src/node/trusted-proxies.js";

describe("with proxies in 10.0.0.0/8, 2001:db8:1::/48 and at 192.0.2.1", () => {
  const { callerOf, trusts } = trustedProxies(["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.1"]);

  test.each<[string, string, string | undefined, string]>([
    ["nobody speaks for others", "203.0.113.9", undefined, "203.0.113.9"],
    ["whoever is no proxy speaks for itself", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a proxy without a word", "10.0.0.1", undefined, "10.0.0.1"],
    ["one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["what the caller wrote itself", "10.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"],
    ["a chain of proxies", "10.0.0.1", "198.51.100.1,10.9.9.9 , 192.0.2.1", "198.51.100.1"],
    ["proxies all the way", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["a proxy by IPv6", "2001:db8:1::5", "2001:db8:2::7", "2001:db8:2::7"],
    ["a proxy on a socket for both families", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a caller on such a socket", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["ports", "10.0.0.1", "198.51.100.1:4711, [2001:db8:1::2]:80", "198.51.100.1"],
    ["IPv6 in brackets", "10.0.0.1", "[2001:db8:2::1]", "2001:db8:2::1"],
    ["something that is no address", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["something before an address", "10.0.0.1", "unknown, 198.51.100.1", "198.51.100.1"],
    ["an obfuscated one behind a proxy", "10.0.0.1", "_hidden, 10.0.0.7", "10.0.0.7"],
    ["a zone", "10.0.0.1", "fe80::1%eth0", "10.0.0.1"],
    ["nothing at all", "10.0.0.1", "", "10.0.0.1"],
    ["a connection that has gone", "", "198.51.100.1", ""],
  ])("%s", (_, peer, forwardedFor, caller) => {
    expect(callerOf(peer, forwardedFor)).toBe(caller);
  });

  test("no more than 32 hops are looked at", () => {
    const hops = ["198.51.100.1", ...new Array<string>(40).fill("10.0.0.2")];
    expect(callerOf("10.0.0.1", hops.join(","))).toBe("10.0.0.2");
  });

  test("trusts those, and no others", () => {
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

  test("whatever is in the header, the caller is an address, and the proxy's own unless it is named there", () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant("10.0.0.2"));
    fc.assert(
      fc.property(fc.array(hop), (hops) => {
        const header = hops.join(",");
        const caller = callerOf("10.0.0.1", header);
        expect(isIP(caller)).not.toBe(0);
        expect(caller === "10.0.0.1" || header.includes(caller)).toBe(true);
      }),
    );
  });
});

test.each([
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "::ffff:c000:201"],
  ["::1", "::1"],
  ["192.0.2.1", "192.0.2.1"],
  ["", ""],
])("%j is plainly %j", (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});
