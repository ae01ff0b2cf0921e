import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SectionLimits } from "../../../src/core/rules.js";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import type { HeaderBlock } from "../../../src/http2/hpack/header-block.js";
import { STATIC_TABLE } from "../../../src/http2/hpack/static-table.js";
import { bytesOf } from "./bytes.js";
import { type Form, integer, ReferenceEncoder, string } from "./reference-encoder.js";

const LIMIT = limitOf(65_536);

function limitOf(maxHeaderBytes: number): SectionLimits {
  return { maxHeaderBytes, maxHeaderFields: 10_000 };
}

function decode(decoder: HpackDecoder, bytes: readonly number[] | string): HeaderBlock | undefined {
  const input = typeof bytes === "string" ? bytesOf(bytes) : Buffer.from(bytes);
  return decoder.decode(input, 0, input.length);
}

/** A literal with indexing and a new name. */
function added(name: string, value: string): number[] {
  return [0x40, ...string(name, false), ...string(value, false)];
}

/** A literal without indexing and with a new name. */
function plain(name: string, value: string): number[] {
  return [0x00, ...string(name, false), ...string(value, false)];
}

test("Each entry of the static table has its index", () => {
  expect(STATIC_TABLE).toHaveLength(61);
  for (const [i, [name, value]] of STATIC_TABLE.entries()) {
    expect(decode(new HpackDecoder(LIMIT), [0x80 | (i + 1)])?.list).toEqual([name, value]);
    // As the name of a literal.
    const literal = [...integer(i + 1, 4, 0), ...string("v", false)];
    expect(decode(new HpackDecoder(LIMIT), literal)?.list).toEqual([name, "v"]);
  }
});

// RFC 7541, appendix A: the first and last entries, and the neighbors of some that have values.
test.each([
  [1, ":authority", ""],
  [2, ":method", "GET"],
  [3, ":method", "POST"],
  [5, ":path", "/index.html"],
  [7, ":scheme", "https"],
  [8, ":status", "200"],
  [14, ":status", "500"],
  [16, "accept-encoding", "gzip, deflate"],
  [19, "accept", ""],
  [28, "content-length", ""],
  [31, "content-type", ""],
  [38, "host", ""],
  [55, "set-cookie", ""],
  [61, "www-authenticate", ""],
])("Index %i is %s: %s", (index, name, value) => {
  expect(decode(new HpackDecoder(LIMIT), [0x80 | index])?.list).toEqual([name, value]);
});

describe("RFC 7541, appendix C.1: integers", () => {
  test("C.1.1: 10 with a prefix of 5 bits is a size update", () => {
    expect(decode(new HpackDecoder(LIMIT), "2a")?.list).toEqual([]);
  });

  test("C.1.2: 1337 with a prefix of 5 bits", () => {
    // A table of 1,337 bytes has room for an entry of that size, and not for one of 1,338.
    for (const [length, index] of [
      [1304, "be"],
      [1305, undefined],
    ] as const) {
      const decoder = new HpackDecoder(LIMIT);
      expect(decode(decoder, [...bytesOf("3f 9a 0a"), ...added("n", "v".repeat(length))])?.size).toBe(
        length + 33,
      );
      expect(decode(decoder, "be") === undefined).toBe(index === undefined);
    }
  });

  test("C.1.3: 42 with a prefix of 8 bits has no use in HPACK; 42 with a prefix of 7 bits is an index", () => {
    expect(decode(new HpackDecoder(LIMIT), "aa")?.list).toEqual(["if-range", ""]);
  });

  test("Bytes of zero bits at the end of an integer", () => {
    // 31 + 0 in 4 bytes after the prefix.
    expect(decode(new HpackDecoder(LIMIT), "3f 80 80 80 00")?.list).toEqual([]);
  });

  test("A string of 127 bytes has a length with one byte more", () => {
    for (const length of [126, 127, 128, 254, 255, 300, 16_511, 20_000]) {
      const value = "v".repeat(length);
      expect(decode(new HpackDecoder(LIMIT), plain("n", value))?.list).toEqual(["n", value]);
    }
  });
});

// Sections 2.3.3, 4.2, 5.1, 5.2 and 6.
test.each([
  ["index 0", "80"],
  ["an index behind an empty dynamic table", "be"],
  ["the index of a name behind an empty dynamic table", "7e 01 61"],
  ["the same without indexing", "0f 2f 01 61"],
  ["the same never indexed", "1f 2f 01 61"],
  ["an index that is cut off", "ff"],
  ["an index that is cut off in its second byte", "ff 80"],
  ["an index of 5 bytes after its prefix", "ff 80 80 80 80 00"],
  ["a size update of 5 bytes after its prefix", "3f 80 80 80 80 00"],
  ["an index above 32 bits", "ff ff ff ff ff 0f"],
  ["an index above 64 bits", "ff ff ff ff ff ff ff ff ff ff 7f"],
  ["an index without end", `ff ${"80".repeat(1000)}`],
  ["a literal with indexing that is cut off before its name", "40"],
  ["a literal without indexing that is cut off before its name", "00"],
  ["a literal that is cut off before its value", "00 01 61"],
  ["a literal with an index that is cut off before its value", "41"],
  ["a name that is cut off", "00 02 61"],
  ["a value that is cut off", "00 01 61 02 62"],
  ["a value in Huffman code that is cut off", "00 01 61 82 1f"],
  ["a length that is cut off", "00 7f"],
  ["a length above 32 bits", "00 7f ff ff ff ff 0f"],
  ["a length below 0 in 32 bits", "00 7f 80 ff ff ff 0f 61"],
  ["a name in Huffman code with padding of 8 bits", "00 81 ff 01 61"],
  ["a value in Huffman code with padding of zeros", "00 01 61 81 18"],
  ["a value in Huffman code with EOS", "00 01 61 84 ff ff ff ff"],
  ["a size update above 4,096", "3f e2 1f"],
  ["a size update far above 4,096", "3f ff ff ff 7f"],
  ["a size update that is cut off", "3f"],
  ["a size update after a field", "82 20"],
  ["a size update after a literal", "00 01 61 01 62 20"],
  ["three size updates", "20 20 20"],
])("%s is invalid", (_, hex) => {
  expect(decode(new HpackDecoder(LIMIT), hex)).toBeUndefined();
  // The same after a valid field, unless the field is what makes it invalid.
  expect(decode(new HpackDecoder(LIMIT), `82 ${hex}`)).toBeUndefined();
});

test("Bytes outside of the block are not read", () => {
  const input = bytesOf("82 04 05 2f 61 62 63 64 82");
  expect(new HpackDecoder(LIMIT).decode(input, 1, 8)?.list).toEqual([":path", "/abcd"]);
  // The value would continue behind the block.
  expect(new HpackDecoder(LIMIT).decode(input, 1, 7)).toBeUndefined();
  expect(new HpackDecoder(LIMIT).decode(input, 1, 1)?.list).toEqual([]);
});

test("The length of a list is that of RFC 9113, section 6.5.2", () => {
  expect(decode(new HpackDecoder(LIMIT), "")?.size).toBe(0);
  expect(decode(new HpackDecoder(LIMIT), "82")?.size).toBe(7 + 3 + 32);
  expect(decode(new HpackDecoder(LIMIT), [0x82, ...plain("ab", "cde")])?.size).toBe(42 + 2 + 3 + 32);
});

test("Text is ISO 8859-1", () => {
  const value = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
  for (const isHuffman of [false, true]) {
    const bytes = [0x00, ...string("n", isHuffman), ...string(value, isHuffman)];
    expect(decode(new HpackDecoder(LIMIT), bytes)?.list).toEqual(["n", value]);
  }
});

describe("The dynamic table", () => {
  test("It has 4,096 bytes: 128 entries of 32", () => {
    const decoder = new HpackDecoder(LIMIT);
    for (let i = 0; i < 1000; i++) decode(decoder, added("", ""));
    expect(decode(decoder, integer(61 + 128, 7, 0x80))?.list).toEqual(["", ""]);
    expect(decode(decoder, integer(61 + 129, 7, 0x80))).toBeUndefined();
  });

  test("A new entry evicts the oldest ones, and no more than necessary", () => {
    const decoder = new HpackDecoder(LIMIT);
    const names = () =>
      decode(decoder, "be bf c0 c1 c2")
        ?.list.filter((_, i) => i % 2 === 0)
        .join("");
    // Four entries of 1,000 bytes: 96 bytes are left.
    for (const name of ["a", "b", "c", "d"]) decode(decoder, added(name, "v".repeat(967)));
    decode(decoder, added("e", "v".repeat(63)));
    expect(names()).toBe("edcba");
    decode(decoder, added("f", ""));
    expect(names()).toBe("fedcb");
    expect(decode(decoder, "c3")).toBeUndefined();
  });

  test("An entry of 4,096 bytes evicts all others; a larger one empties the table (section 4.4)", () => {
    const largest = added("n", "v".repeat(4096 - 33));
    const tooLarge = added("n", "v".repeat(4096 - 32));
    const decoder = new HpackDecoder(LIMIT);
    decode(decoder, added("a", "b"));
    decode(decoder, largest);
    expect(decode(decoder, "be")?.size).toBe(4096);
    expect(decode(decoder, "bf")).toBeUndefined();
    const other = new HpackDecoder(LIMIT);
    decode(other, added("a", "b"));
    expect(decode(other, tooLarge)?.size).toBe(4097);
    expect(decode(other, "be")).toBeUndefined();
  });

  test("A name may be that of the entry which is evicted for the new one (section 4.4)", () => {
    const decoder = new HpackDecoder(LIMIT);
    decode(decoder, added("name", "v".repeat(4060)));
    expect(decode(decoder, [0x7e, ...string("w", false)])?.list).toEqual(["name", "w"]);
    expect(decode(decoder, "be")?.list).toEqual(["name", "w"]);
  });

  test("A size update evicts entries, and a larger one does not bring them back (section 4.3)", () => {
    const decoder = new HpackDecoder(LIMIT);
    decode(decoder, added("a", "1"));
    decode(decoder, added("b", "2"));
    expect(decode(decoder, [...integer(34, 5, 0x20), 0xbe])?.list).toEqual(["b", "2"]);
    expect(decode(decoder, [...integer(4096, 5, 0x20), 0xbe])?.list).toEqual(["b", "2"]);
    expect(decode(decoder, "bf")).toBeUndefined();
  });

  test("Two size updates: the first one may empty the table", () => {
    const decoder = new HpackDecoder(LIMIT);
    decode(decoder, added("a", "1"));
    expect(decode(decoder, [0x20, ...integer(4096, 5, 0x20), ...added("b", "2")])?.list).toEqual(["b", "2"]);
    expect(decode(decoder, "be")?.list).toEqual(["b", "2"]);
    expect(decode(decoder, "bf")).toBeUndefined();
  });

  test("A table of size 0 has no entries", () => {
    const decoder = new HpackDecoder(LIMIT);
    expect(decode(decoder, [0x20, ...added("a", "1")])?.list).toEqual(["a", "1"]);
    expect(decode(decoder, "be")).toBeUndefined();
  });
});

describe("A list that is too large", () => {
  test("A list of the limit is kept, one byte more is not", () => {
    expect(decode(new HpackDecoder(limitOf(42)), "82")).toMatchObject({
      size: 42,
      isTooLarge: false,
      list: [":method", "GET"],
    });
    expect(decode(new HpackDecoder(limitOf(41)), "82")).toMatchObject({
      size: 42,
      isTooLarge: true,
      list: [],
    });
  });

  test("A smaller field after the limit is not kept either", () => {
    expect(decode(new HpackDecoder(limitOf(100)), [...plain("n", "v".repeat(100)), 0x82])).toMatchObject({
      size: 133 + 42,
      isTooLarge: true,
      list: [],
    });
  });

  test("The dynamic table has the fields that are not kept", () => {
    const decoder = new HpackDecoder(limitOf(100));
    const block = decode(decoder, [...added("a", "v".repeat(100)), ...added("b", "2")]);
    expect(block).toMatchObject({ isTooLarge: true, list: [] });
    expect(decode(decoder, "be")).toMatchObject({ isTooLarge: false, list: ["b", "2"] });
    expect(decode(decoder, "bf")).toMatchObject({ isTooLarge: true, size: 133 });
  });

  test("Many references to a large entry take no memory", () => {
    const decoder = new HpackDecoder(limitOf(16_384));
    decode(decoder, added("a", "v".repeat(4000)));
    const bomb = Buffer.alloc(1_000_000, 0xbe);
    const block = decoder.decode(bomb, 0, bomb.length);
    expect(block).toMatchObject({ size: 1_000_000 * 4033, isTooLarge: true });
    expect(block?.list).toHaveLength(8);
  });

  test("Many fields without a name and value", () => {
    const bomb = Array.from({ length: 10_000 }, () => [0x00, 0x00, 0x00]).flat();
    const block = decode(new HpackDecoder(limitOf(16_384)), bomb);
    expect(block).toMatchObject({ size: 320_000, isTooLarge: true });
    expect(block?.list).toHaveLength(1024);
  });

  test("The fields of the limit are kept, one more is not; pseudo-headers do not count", () => {
    const pseudo = [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a"];
    const start = [0x82, 0x86, 0x84, 0x01, ...string("a", false)];
    const decodeWith = (count: number) => {
      const fields = Array.from({ length: count }, () => plain("n", "v")).flat();
      return decode(new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 3 }), [...start, ...fields]);
    };
    const three = [...pseudo, "n", "v", "n", "v", "n", "v"];
    expect(decodeWith(3)).toMatchObject({ isTooLarge: false, list: three, pseudoCount: 4 });
    expect(decodeWith(4)).toMatchObject({ isTooLarge: true, list: three, pseudoCount: 4 });
    expect(decodeWith(100)).toMatchObject({ isTooLarge: true, list: three, pseudoCount: 4 });
  });

  test.each([":x", "connection", "X"])("The forbidden name %s counts as a field", (name) => {
    const decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 1 });
    expect(decode(decoder, plain(name, ""))).toMatchObject({ isTooLarge: false });
    expect(decode(decoder, [...plain("n", ""), ...plain(name, "")])).toMatchObject({ isTooLarge: true });
  });

  test("The dynamic table has the fields beyond their number", () => {
    const decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 1 });
    expect(decode(decoder, [...added("a", "1"), ...added("b", "2")])?.list).toEqual(["a", "1"]);
    expect(decode(decoder, "be")?.list).toEqual(["b", "2"]);
    expect(decode(decoder, "bf")?.list).toEqual(["a", "1"]);
  });

  test("An invalid field after the limit is invalid", () => {
    expect(decode(new HpackDecoder(limitOf(10)), "82 80")).toBeUndefined();
  });
});

describe("Any list in any encoding", () => {
  const BYTE = fc.integer({ min: 0, max: 255 });
  const ANY_TEXT = fc.array(BYTE, { maxLength: 30 }).map((codes) => String.fromCharCode(...codes));
  const TEXT = fc.oneof(
    fc.constantFrom("", "a", "b", "GET", "/", "200", "gzip, deflate", "v".repeat(200), "w".repeat(1500)),
    fc.constantFrom(":method", ":path", "te", "cookie", "accept-encoding", "x-a", "x-b"),
    ANY_TEXT,
  );
  const FORM: fc.Arbitrary<Form> = fc.record({
    usesIndex: fc.boolean(),
    usesNameIndex: fc.boolean(),
    usesLast: fc.boolean(),
    literal: fc.constantFrom("indexing", "plain", "never"),
    isNameHuffman: fc.boolean(),
    isValueHuffman: fc.boolean(),
  });
  const BLOCK = fc.record({
    sizes: fc.array(fc.integer({ min: 0, max: 4096 }), { maxLength: 2 }),
    resizes: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    fields: fc.array(fc.record({ name: TEXT, value: TEXT, form: FORM }), { maxLength: 10 }),
    times: fc.integer({ min: 1, max: 3 }),
    releases: fc.boolean(),
  });

  test("It is decoded, and the dynamic tables agree", () => {
    fc.assert(
      fc.property(fc.array(BLOCK, { maxLength: 12 }), (blocks) => {
        const encoder = new ReferenceEncoder();
        const decoder = new HpackDecoder(limitOf(1_000_000));
        for (const { sizes, resizes, fields, times, releases } of blocks) {
          for (let i = 0; i < times; i++) {
            const bytes = (resizes ? sizes : []).flatMap((size) => encoder.resize(size));
            for (const { name, value, form } of fields) bytes.push(...encoder.field(name, value, form));
            const expected = fields.flatMap(({ name, value }) => [name, value]);
            expect(decode(decoder, bytes)?.list).toEqual(expected);
          }
          if (releases) decoder.table.pack();
          const indices = encoder.table.flatMap((_, i) => integer(62 + i, 7, 0x80));
          expect(decode(decoder, indices)?.list).toEqual(encoder.table.flat());
        }
      }),
      { numRuns: 200 },
    );
  });

  test("Any bytes have a result", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (blocks) => {
        const decoder = new HpackDecoder(limitOf(200));
        for (const bytes of blocks) {
          const block = decoder.decode(Buffer.from(bytes), 0, bytes.length);
          if (block === undefined) return;
          const kept = block.list.reduce((size, text) => size + text.length + 16, 0);
          expect(kept).toBeLessThanOrEqual(200);
          expect(kept === block.size).toBe(!block.isTooLarge);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
