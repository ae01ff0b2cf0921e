import { expect, test } from "vitest";
import { bytesBefore, moveToNext, prefixLengths } from "../../src/text/address-range.js";
import { addressText, readAddress } from "../../src/text/ip-address.js";
import { randomNumbers } from "../tools/geoip/draw-addresses.js";
import { toBytes } from "../tools/geoip/test-databases.js";

const bytesOf = (text: string): number[] => [...(readAddress(text)?.bytes ?? [])];

test.each([
  ["8.8.8.8", 32, "8.8.8.9", 31],
  ["8.8.8.0", 24, "8.8.9.0", 23],
  ["8.255.255.255", 32, "9.0.0.0", 7],
  ["0.0.0.0", 1, "128.0.0.0", 0],
  ["2001:4860:4860::", 43, "2001:4860:4880::", 40],
  ["255.255.255.255", 32, "0.0.0.0", undefined],
  ["240.0.0.0", 4, "0.0.0.0", undefined],
  ["::", 0, "::", undefined],
])("after %s/%i comes %s", (text, prefixLength, next, shared) => {
  const bytes = bytesOf(text);
  expect(moveToNext(bytes, prefixLength)).toBe(shared);
  expect(addressText(bytes)).toBe(next);
});

test.each([
  ["8.8.8.9", "8.8.8.8"],
  ["9.0.0.0", "8.255.255.255"],
  ["0.0.0.0", "255.255.255.255"],
  ["2001:db8::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"],
])("before %s comes %s", (text, before) => {
  expect(addressText(bytesBefore(bytesOf(text)))).toBe(before);
});

test.each([
  ["8.8.8.8", "8.8.8.8", [32]],
  ["8.8.8.0", "8.8.8.255", [24]],
  ["0.0.0.0", "255.255.255.255", [0]],
  ["8.8.8.0", "8.8.9.255", [23]],
  ["8.8.9.0", "8.8.10.255", [24, 24]],
  ["8.8.8.1", "8.8.8.6", [32, 31, 31, 32]],
  ["8.8.8.0", "8.8.8.254", [25, 26, 27, 28, 29, 30, 31, 32]],
  [
    "2001:db8::1",
    "2001:db8::1:0",
    [128, 127, 126, 125, 124, 123, 122, 121, 120, 119, 118, 117, 116, 115, 114, 113, 128],
  ],
])("%s to %s has networks of the lengths %j", (first, last, lengths) => {
  expect(prefixLengths(bytesOf(first), bytesOf(last))).toEqual(lengths);
});

test("the networks of random ranges are aligned, follow each other and are the fewest", () => {
  const random = randomNumbers(1n);
  for (let run = 0; run < 2_000; run++) {
    const bits = 12;
    const [one, other] = [random(bits), random(bits)];
    const [first, last] = one < other ? [one, other] : [other, one];
    const lengths = prefixLengths(toBytes(first, 32), toBytes(last, 32));
    let at = first;
    for (const [index, length] of lengths.entries()) {
      const size = 1n << BigInt(32 - length);
      expect(at % size).toBe(0n);
      // Two neighbors of a size that are one network would be one.
      expect(lengths[index + 1] === length && at % (2n * size) === 0n).toBe(false);
      at += size;
    }
    expect(at).toBe(last + 1n);
  }
});
