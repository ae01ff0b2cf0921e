import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import type { HeaderBlock } from "../../../src/http2/hpack/header-block.js";
import { bytesOf } from "./bytes.js";
import { integer, string } from "./reference-encoder.js";

const LIMIT = { maxHeaderBytes: 65_536, maxHeaderFields: 1000 };

function decode(decoder: HpackDecoder, bytes: readonly number[] | string): HeaderBlock | undefined {
  const input = typeof bytes === "string" ? bytesOf(bytes) : Buffer.from(bytes);
  return decoder.decode(input, 0, input.length);
}

/** A literal with indexing and a new name. */
function added(name: string, value: string): number[] {
  return [0x40, ...string(name, false), ...string(value, false)];
}

describe("a packed table", () => {
  test("A decoder without a table holds nothing", () => {
    const decoder = new HpackDecoder(LIMIT);
    expect(decoder.table.heldBytes).toBe(0);
    decode(decoder, "82 86 84");
    decoder.table.pack();
    expect(decoder.table.heldBytes).toBe(0);
  });

  test("The dynamic table stays, and evicts its oldest entries first", () => {
    const decoder = new HpackDecoder(LIMIT);
    const values = ["", "v", "\xff\x00", "w".repeat(300), "x".repeat(1500), "y".repeat(1500)];
    for (const value of values) decode(decoder, added("x-name", value));
    const list = values.map((value) => ["x-name", value]).reverse();
    for (let i = 0; i < 2; i++) {
      decoder.table.pack();
      decoder.table.pack();
      expect(decode(decoder, "be bf c0 c1 c2 c3")?.list).toEqual(list.flat());
      expect(decode(decoder, "c4")).toBeUndefined();
    }
    decoder.table.pack();
    decode(decoder, added("a", "z".repeat(600)));
    expect(decode(decoder, "bf c0 c1 c2")?.list).toEqual(list.slice(0, 4).flat());
    expect(decode(decoder, "c3")).toBeUndefined();
    decoder.table.pack();
    expect(decode(decoder, [0x20, 0xbe])).toBeUndefined();
  });

  test("Names keep their meaning, and values their form", () => {
    const decoder = new HpackDecoder(LIMIT);
    const fields = [
      ["te", "a b"],
      ["Upper", "a\n"],
      [":path", "/"],
      ["x", "a"],
    ] as const;
    for (const [name, value] of fields) decode(decoder, added(name, value));
    const before = decode(decoder, "be bf c0 c1");
    decoder.table.pack();
    expect(decode(decoder, "be bf c0 c1")).toEqual(before);
  });

  // The budget counts the heap: a field has more bytes there than in the table.
  test.each([32, 48, 128, 4000, 4096])("A table of entries with %i bytes is counted", (size) => {
    const decoder = new HpackDecoder(LIMIT);
    const count = Math.floor(4096 / size);
    for (let i = 0; i < count + 10; i++) decode(decoder, added("", "v".repeat(size - 32)));
    expect(decoder.table.heldBytes).toBe(200 + count * (size + 80));
    decoder.table.pack();
    expect(decoder.table.heldBytes).toBeLessThanOrEqual(4096);
    expect(decode(decoder, integer(61 + count, 7, 0x80))?.size).toBe(size);
    expect(decode(decoder, integer(62 + count, 7, 0x80))).toBeUndefined();
    decode(decoder, "20");
    decoder.table.pack();
    expect(decoder.table.heldBytes).toBe(0);
  });
});
