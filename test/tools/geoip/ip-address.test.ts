import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressAfter, ipAddress, networkOf } from "../../../src/tools/geoip/ip-address.js";
import { address, bounds, toBytes, toNumber } from "./test-databases.js";

const ipv6Bytes = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant([0, 0]) }, fc.tuple(fc.nat(255), fc.nat(255))),
  { minLength: 8, maxLength: 8 },
);

describe("ipAddress", () => {
  it("writes IPv6 as a URL does", () => {
    fc.assert(
      fc.property(ipv6Bytes, (groups) => {
        const { text, family } = ipAddress(groups.flat());
        // ::ffff:0:0/96 is IPv4 here and stays IPv6 in a URL.
        fc.pre(family === 6);
        const spelledOut = groups.map(([high = 0, low = 0]) => ((high << 8) | low).toString(16)).join(":");
        expect(`[${text}]`).toBe(new URL(`http://[${spelledOut}]/`).hostname);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("makes an IPv4 address of an IPv4-mapped one, and of no other", () => {
    expect(ipAddress([...new Array<number>(10).fill(0), 255, 255, 8, 8, 4, 4])).toEqual({
      family: 4,
      bytes: [8, 8, 4, 4],
      text: "8.8.4.4",
    });
    expect(ipAddress([...new Array<number>(12).fill(0), 8, 8, 4, 4]).text).toBe("::808:404");
    expect(ipAddress([1, ...new Array<number>(9).fill(0), 255, 255, 8, 8, 4, 4]).text).toBe(
      "100::ffff:808:404",
    );
  });
});

describe("networkOf", () => {
  it.each([
    ["8.8.8.8", 32, "8.8.8.8/32"],
    ["8.8.8.8", 24, "8.8.8.0/24"],
    ["8.8.8.255", 25, "8.8.8.128/25"],
    ["255.255.255.255", 1, "128.0.0.0/1"],
    ["255.255.255.255", 0, "0.0.0.0/0"],
    ["2001:4860:4860::8888", 42, "2001:4860:4840::/42"],
    ["2001:db8::1", 128, "2001:db8::1/128"],
    ["ffff::", 0, "::/0"],
  ])("%s/%d", (text, prefixLength, expected) => {
    expect(networkOf(address(text), prefixLength)).toBe(expected);
  });
});

describe("addressAfter", () => {
  it.each([
    ["8.8.8.8", 32, "8.8.8.9"],
    ["8.8.8.8", 24, "8.8.9.0"],
    ["8.255.255.255", 32, "9.0.0.0"],
    ["1.2.3.4", 1, "128.0.0.0"],
    ["::", 3, "2000::"],
    ["2001:4860:4860::8888", 42, "2001:4860:4880::"],
  ])("the network of %s/%d is %s", (text, prefixLength, expected) => {
    expect(addressAfter(address(text), prefixLength)?.text).toBe(expected);
  });

  it.each([
    ["255.255.255.255", 32],
    ["240.0.0.0", 4],
    ["1.2.3.4", 0],
    ["ffff::", 3],
  ])("the network of %s/%d there is none", (text, prefixLength) => {
    expect(addressAfter(address(text), prefixLength)).toBeUndefined();
  });

  it("follows the network that networkOf gives", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 128n - 1n),
        fc.integer({ min: 0, max: 128 }),
        (number, prefixLength) => {
          const bytes = toBytes(number, 128);
          const start = ipAddress(bytes);
          fc.pre(start.family === 6);
          const next = addressAfter(start, prefixLength);
          const { last } = bounds(networkOf(start, prefixLength));
          expect(next === undefined ? 2n ** 128n : toNumber(next)).toBe(last + 1n);
        },
      ),
      { seed: 1, numRuns: 1_000 },
    );
  });
});
