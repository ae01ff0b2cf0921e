import { BlockList, isIPv4 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isAddressBlock } from "../../../src/service/config/address-block.js";

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
])("%s is one", (text) => {
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
])("%j is none", (text) => {
  expect(isAddressBlock(text)).toBe(false);
});

/** Whether `BlockList` takes the block. */
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

test("is what Node's block lists take", () => {
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
