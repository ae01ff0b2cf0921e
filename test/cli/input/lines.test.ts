import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineReader, type Line } from "../../../src/cli/input/lines.js";

function split(chunks: readonly (string | Uint8Array)[], maxBytes = 100, keepsAll = false): Line[] {
  const reader = createLineReader({ maxBytes, keepsAll });
  return [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk as string))), ...reader.end()];
}

const text = (each: string): Line => ({ text: each });
const rejected = (start: unknown, reason: string) => ({
  text: start,
  rejected: expect.objectContaining({ reason }),
});

describe("lines", () => {
  test.each<[string, (string | Uint8Array)[], string[]]>([
    ["nothing", [], []],
    ["one line with its end", ["a\n"], ["a"]],
    ["one line without its end", ["a"], ["a"]],
    ["CRLF", ["a\r\nb\r\n"], ["a", "b"]],
    ["CRLF in two chunks", ["a\r", "\nb"], ["a", "b"]],
    ["blank lines", ["\n\na\n \t\n\r\nb\n\n"], ["a", "b"]],
    ["blanks around text stay", [" a \n"], [" a "]],
    ["a carriage return within a line stays", ["a\rb\n"], ["a\rb"]],
    ["a character in two chunks", [Uint8Array.of(0xc3), Uint8Array.of(0xa9, 0x0a)], ["é"]],
    ["a byte order mark", ["\ufeffa\nb"], ["a", "b"]],
    ["a byte order mark alone in its chunk", [Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), "a"], ["a"]],
    ["a byte order mark later on is text", ["a\n\ufeffb\n"], ["a", "\ufeffb"]],
  ])("%s", (_name, chunks, lines) => {
    expect(split(chunks)).toEqual(lines.map(text));
  });

  test("are all there with their CR if blank ones are kept", () => {
    const lines = ["", "a\r", "", " ", "b"].map(text);
    expect(split(["\na\r\n\n \nb\n"], 100, true)).toEqual(lines);
    expect(split(["\n", "a\r", "\n\n", " \n", "b"], 100, true)).toEqual(lines);
  });

  test("that are not UTF-8 are reported in their place, and the others are read", () => {
    const latin = Buffer.from("a\ncaf\xe9\r\nb", "latin1");
    expect(split([latin])).toEqual([text("a"), rejected("caf\ufffd", "MALFORMED_UTF8"), text("b")]);
  });

  test("that are too long are reported with their beginning", () => {
    expect(split([`${"a".repeat(100)}\n`])).toEqual([text("a".repeat(100))]);
    const long = (start: string) => rejected(`${start}…`, "LINE_TOO_LONG");
    expect(split([`${"a".repeat(101)}\nb`])).toEqual([long("a".repeat(64)), text("b")]);
    expect(split([`b\n${"é".repeat(51)}`])).toEqual([text("b"), long("é".repeat(32))]);
  });

  test("that are too long are not buffered", () => {
    const reader = createLineReader({ maxBytes: 100 });
    const chunk = Buffer.alloc(1 << 20, "a");
    for (let count = 0; count < 100; count++) {
      expect(reader.push(chunk)).toEqual([]);
    }
    expect(reader.push(Buffer.from("a\nb\n"))).toEqual([
      rejected(expect.stringMatching(/^a{64}/), "LINE_TOO_LONG"),
      text("b"),
    ]);
  });
});

test("lines do not depend on the chunks of the input", () => {
  const characters = fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r", " ", "\ufeff", "b".repeat(40));
  const bytes = fc.array(characters).map((all) => Buffer.from(all.join("")));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat()), (input, cuts) => {
      const ends = [...cuts.map((cut) => cut % (input.length + 1)).toSorted((a, b) => a - b), input.length];
      const chunks = ends.map((end, index) => input.subarray(ends[index - 1] ?? 0, end));
      const whole = split([input], 64);
      expect(split(chunks, 64)).toEqual(whole);
    }),
  );
});

test("lines are those of the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (given) => {
      const input = Buffer.from(given.replace(/^\ufeff+/, "")).toString();
      const expected = input
        .split("\n")
        .map((line) => line.replace(/\r$/, ""))
        .filter((line) => line.trim() !== "");
      expect(split([input], 10_000)).toEqual(expected.map(text));
    }),
  );
});
