import { expect, test } from "vitest";
import { BytesMap } from "../../../src/http2/hpack/bytes-map.js";

function lookUp(map: BytesMap<number>, text: string, value: number): number | undefined {
  const bytes = Buffer.from(`<${text}>`);
  const known = map.get(bytes, 1, bytes.length - 1);
  if (known === undefined) map.add(bytes, 1, bytes.length - 1, value);
  return known;
}

test("A key is known after it was added twice", () => {
  const map = new BytesMap<number>(10, 4);
  expect([1, 2, 3, 4].map((value) => lookUp(map, "key", value))).toEqual([undefined, undefined, 2, 2]);
});

test("Keys that come in turn", () => {
  const map = new BytesMap<number>(10, 4);
  const rounds = [1, 2, 3, 4].map((round) => ["a", "b", "c", "d"].map((key) => lookUp(map, key, round)));
  expect(rounds).toEqual([
    [undefined, undefined, undefined, undefined],
    [undefined, undefined, undefined, undefined],
    [2, 2, 2, 2],
    [2, 2, 2, 2],
  ]);
});

test("Keys that differ in their last byte, in their first byte, and in their length", () => {
  const map = new BytesMap<number>(10, 10);
  for (const [i, key] of ["abc", "abd", "bbc", "ab", "abcc", ""].entries()) {
    expect([lookUp(map, key, i), lookUp(map, key, i), lookUp(map, key, i)]).toEqual([
      undefined,
      undefined,
      i,
    ]);
  }
});

// 31 × 1 + 31 = 31 × 2 + 0: both have the same hash.
test("Keys with the same hash replace each other and are not mistaken", () => {
  const map = new BytesMap<number>(10, 4);
  const pair = ["\x01\x1f", "\x02\x00"] as const;
  for (let round = 0; round < 4; round++) {
    for (const [i, key] of pair.entries()) {
      expect([undefined, i]).toContain(lookUp(map, key, i));
    }
  }
  expect(pair.map((key) => lookUp(map, key, 2))).toEqual([undefined, undefined]);
  expect(lookUp(map, pair[1], 3)).toBe(2);
});

test("Longer keys are not kept", () => {
  const map = new BytesMap<number>(3, 4);
  expect([1, 2, 3].map((value) => lookUp(map, "abc", value))).toEqual([undefined, undefined, 2]);
  expect([1, 2, 3].map((value) => lookUp(map, "abcd", value))).toEqual([undefined, undefined, undefined]);
});

test("It has no more entries than its limit", () => {
  const map = new BytesMap<number>(10, 4);
  const keys = ["a", "b", "c", "d", "e"];
  for (const key of keys) {
    lookUp(map, key, 1);
    lookUp(map, key, 1);
  }
  expect([lookUp(map, "e", 2), lookUp(map, "a", 2)]).toEqual([1, undefined]);
});

test("A cleared map knows no key, and has to see keys twice again", () => {
  const map = new BytesMap<number>(10, 4);
  map.clear();
  for (const value of [1, 2, 3]) lookUp(map, "key", value);
  map.clear();
  expect([4, 5, 6].map((value) => lookUp(map, "key", value))).toEqual([undefined, undefined, 5]);
});

test("The key is a copy", () => {
  const map = new BytesMap<string>(10, 4);
  const bytes = Buffer.from("abc");
  for (let i = 0; i < 2; i++) {
    expect(map.get(bytes, 0, 3)).toBeUndefined();
    map.add(bytes, 0, 3, "abc");
  }
  bytes[0] = 0x78;
  expect(map.get(bytes, 0, 3)).toBeUndefined();
  expect(map.get(Buffer.from("abc"), 0, 3)).toBe("abc");
});
