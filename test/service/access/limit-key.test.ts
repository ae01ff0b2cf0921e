import { isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { limitKey } from "../../../src/service/access/limit-key.js";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  // RFC 4291, section 2.5.5.2.
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:FFFF:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["::192.0.2.1", "0:0:0:0::/64"],
  ["", "unknown"],
  ["192.0.2", "unknown"],
  ["[::1]", "unknown"],
  ["2001:db8::1::2", "unknown"],
  ["not an address", "unknown"],
])("callers at %j count as %s", (callerAddress, key) => {
  expect(limitKey({ principal: undefined, callerAddress })).toBe(key);
});

test.each(["ci", "192.0.2.1", "unknown"])(
  "the key %j counts by its name, wherever it comes from",
  (principal) => {
    expect(limitKey({ principal, callerAddress: "192.0.2.1" })).toBe(`key:${principal}`);
  },
);

test("addresses of a /64 count as one, others do not", () => {
  const group = fc.nat({ max: 0xffff });
  const address = fc.array(group, { minLength: 8, maxLength: 8 });
  const text = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(":");
  fc.assert(
    fc.property(address, address, (one, other) => {
      const keyOf = (groups: readonly number[]) =>
        limitKey({ principal: undefined, callerAddress: text(groups) });
      expect(keyOf([...one.slice(0, 4), ...other.slice(4)])).toBe(keyOf(one));
      expect(keyOf(one) === keyOf(other)).toBe(text(one.slice(0, 4)) === text(other.slice(0, 4)));
    }),
  );
});

test("what node:net takes for an address has a key of its own, and nothing else has", () => {
  const part = fc.oneof(
    fc.constantFrom("", ":", "::", ".", "0", "1.2.3.4", "ffff", "g"),
    fc.stringMatching(/^[0-9a-fA-F]{1,5}$/),
  );
  const like = fc.oneof(
    fc.array(part, { maxLength: 17 }).map((parts) => parts.join("")),
    fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(":")),
    fc.ipV6(),
    fc.ipV6().map((address) => `${address}%eth0`),
    fc.tuple(fc.ipV6(), part).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(like, (callerAddress) => {
      const isAddress = isIP(callerAddress) !== 0;
      expect(limitKey({ principal: undefined, callerAddress }) !== "unknown").toBe(isAddress);
    }),
    { numRuns: 1_000 },
  );
});

test("a key is the network that a URL's host has", () => {
  fc.assert(
    fc.property(fc.ipV6(), (callerAddress) => {
      const host = new URL(`http://[${callerAddress}]`).hostname.slice(1, -1);
      expect(limitKey({ principal: undefined, callerAddress })).toBe(
        limitKey({ principal: undefined, callerAddress: host }),
      );
    }),
  );
});

test("a key is short, whatever the address", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4()), (callerAddress) => {
      expect(limitKey({ principal: undefined, callerAddress }).length).toBeLessThan(32);
    }),
  );
});
