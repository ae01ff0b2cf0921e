import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMmdbValue } from "../../../../src/tools/geoip/databases/mmdb-limits.js";
import { address, mmdbReader, sharedArrays } from "../test-databases.js";
import { encodeValue, type MmdbValue } from "./mmdb-writer.js";

/** Checks the value at the start of a section that is the whole file. */
function check(bytes: Iterable<number>): string | undefined {
  const section = Uint8Array.from(bytes);
  return checkMmdbValue({ bytes: section, start: 0, end: section.length }, 0);
}

/** The bytes of a `bytes` value that is `size` bytes long, from 65,821 on. */
function longBytes(size: number): Buffer {
  const head = Buffer.from([0x9f, 0, 0, 0]);
  head.writeUIntBE(size - 65_821, 1, 3);
  return Buffer.concat([head, Buffer.alloc(size)]);
}

const OUTSIDE = "a value is not in its section";
const TOO_MANY = "a value has more than 4096 values or 32 levels";
const TOO_LONG = "a value has more than 65536 bytes";
const KEY = "a key of a map is not a string";
const notAllowed = (type: number, size: number) =>
  `a value has type ${type} and size ${size}, which the format does not allow`;

/** An array of pointers of two bytes to the value after it. */
function pointers(count: number, value: Iterable<number>): Buffer {
  const head = encodeValue(new Array<MmdbValue>(count).fill(false)).subarray(0, -2 * count);
  const target = head.length + 2 * count;
  const pointer = [0x20 | (target >> 8), target & 0xff];
  return Buffer.concat([
    head,
    ...new Array<Buffer>(count).fill(Buffer.from(pointer)),
    Buffer.from([...value]),
  ]);
}

const nested = (depth: number): number[] => (depth === 1 ? [0x40] : [...[0x01, 0x04], ...nested(depth - 1)]);

// The layouts are those of https://maxmind.github.io/MaxMind-DB/#data-field-format.
describe("a value is rejected", () => {
  it.each<[string, Iterable<number>, string]>([
    ["that is missing", [], OUTSIDE],
    ["of a text that is cut off", [0x42, 0x61], OUTSIDE],
    ["of a size that is cut off", [0x5d], OUTSIDE],
    ["of a pointer that is cut off", [0x30, 0x00], OUTSIDE],
    ["of a map without its entry", [0xe1], OUTSIDE],
    ["of a map without its value", [0xe1, 0x41, 0x61], OUTSIDE],
    ["of an array that is larger than the file", [0x1f, 0x04, 0xff, 0xff, 0xff], OUTSIDE],
    ["of a pointer behind the end", [0x20, 0x02], OUTSIDE],
    ["of a pointer of four bytes far behind the end", [0x38, 0xff, 0xff, 0xff, 0xff], OUTSIDE],
    ["of a pointer to itself", [0x20, 0x00], TOO_MANY],
    ["of an array that contains itself", [0x01, 0x04, 0x20, 0x00], TOO_MANY],
    ["of a map that contains itself", [0xe1, 0x41, 0x61, 0x20, 0x00], TOO_MANY],
    ["of 24 levels of two pointers to the next one", sharedArrays(0, 2, 24), TOO_MANY],
    ["of 10 levels of 28 pointers to the next one", sharedArrays(0, 28, 10), TOO_MANY],
    ["of 4,097 values in an array", encodeValue(new Array(4_096).fill(1)), TOO_MANY],
    ["of 33 levels", nested(33), TOO_MANY],
    ["of a text of 65,537 bytes", encodeValue("x".repeat(65_537)), TOO_LONG],
    ["of bytes, 16 MB long", longBytes(16_000_000), TOO_LONG],
    ["of 66 pointers to a text of 1,000 bytes", pointers(66, encodeValue("x".repeat(1_000))), TOO_LONG],
    ["of a map with a number as a key", [0xe1, 0xa1, 0x01, 0x40], KEY],
    ["of a map with a map as a key", [0xe1, 0xe0, 0x40], KEY],
    ["of a map with a pointer to a number as a key", [0xe1, 0x20, 0x04, 0x40, 0xa0], KEY],
    ["of a double with 4 bytes", [0x64, 0, 0, 0, 0], notAllowed(3, 4)],
    ["of a double with 9 bytes", [0x69, ...new Array<number>(9).fill(0)], notAllowed(3, 9)],
    ["of a float with 8 bytes", [0x08, 0x08, ...new Array<number>(8).fill(0)], notAllowed(15, 8)],
    ["of a uint16 with 3 bytes", [0xa3, 0, 0, 0], notAllowed(5, 3)],
    ["of a uint32 with 5 bytes", [0xc5, 0, 0, 0, 0, 0], notAllowed(6, 5)],
    ["of an int32 with 5 bytes", [0x05, 0x01, 0, 0, 0, 0, 0], notAllowed(8, 5)],
    ["of a uint64 with 9 bytes", [0x09, 0x02, ...new Array<number>(9).fill(0)], notAllowed(9, 9)],
    ["of a uint128 with 17 bytes", [0x11, 0x03, ...new Array<number>(17).fill(0)], notAllowed(10, 17)],
    ["of a boolean of 2", [0x02, 0x07], notAllowed(14, 2)],
    ["of the type for caches", [0x00, 0x05], notAllowed(12, 0)],
    ["of the type for the end", [0x00, 0x06], notAllowed(13, 0)],
    ["of a type that does not exist", [0x00, 0xff], notAllowed(262, 0)],
    ["of a map as an extended type", [0x00, 0x00], notAllowed(7, 0)],
  ])("%s", (_, bytes, problem) => {
    expect(check(bytes)).toBe(problem);
  });

  it("that starts before or after its section", () => {
    const bytes = Uint8Array.from([0x40, 0x40, 0x40]);
    const at = (position: number) => checkMmdbValue({ bytes, start: 1, end: 2 }, position);
    expect([0, 1, 2, -1].map(at)).toEqual([OUTSIDE, undefined, OUTSIDE, OUTSIDE]);
  });

  it("that leaves its section, but not the file", () => {
    const bytes = Uint8Array.from([0x41, 0x61, 0x61]);
    expect(checkMmdbValue({ bytes, start: 0, end: 1 }, 0)).toBe(OUTSIDE);
  });
});

describe("a value is accepted", () => {
  it.each<[string, Iterable<number>]>([
    ["of 4,096 values", encodeValue(new Array(4_095).fill(1))],
    ["of 32 levels", nested(32)],
    ["of a text of 65,536 bytes", encodeValue("x".repeat(65_536))],
    ["of 65 pointers to a text of 1,000 bytes", pointers(65, encodeValue("x".repeat(1_000)))],
    ["of 10 levels of two pointers to the next one", sharedArrays(0, 2, 10)],
    ["of a map with a pointer to its key", [0xe1, 0x20, 0x05, 0x41, 0x61, 0x41, 0x62]],
    ["of a float", [0x04, 0x08, 0, 0, 0, 0]],
    ["of a uint128", [0x10, 0x03, ...new Array<number>(16).fill(0)]],
    ["of a negative int32", [0x04, 0x01, 0xff, 0xff, 0xff, 0xff]],
    [
      "that is empty, of every type",
      [0x08, 0x04, 0x40, 0x80, 0xa0, 0xc0, 0xe0, 0x00, 0x01, 0x00, 0x02, 0x00, 0x04],
    ],
  ])("%s", (_, bytes) => {
    expect(check(bytes)).toBeUndefined();
  });

  it("that the format can express, and maxmind decodes it", () => {
    const key = fc.string().filter((text) => text !== "__proto__");
    const { value } = fc.letrec<{ value: MmdbValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: ANY_CHARACTER, maxLength: 400 }),
        fc.boolean(),
        fc.nat(),
        fc.double({ noNaN: true, noInteger: true, noDefaultInfinity: true }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b"), value, { noNullPrototype: true }), (record) => {
        const found = mmdbReader({ "8.0.0.0/8": record }).lookup(address("8.8.8.8"));
        expect(found).toEqual({ record, prefixLength: 8 });
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
