import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Line, lineSplitter } from "../../src/cli/line-splitter.js";

function split(pieces: readonly (string | Uint8Array)[], maxOctets = 100): Line[] {
  const splitter = lineSplitter(maxOctets);
  return [...pieces.flatMap((piece) => splitter.push(Buffer.from(piece as string))), ...splitter.end()];
}

const text = (each: string): Line => ({ kind: "text", text: each });

describe("lines", () => {
  test.each<[string, (string | Uint8Array)[], string[]]>([
    ["nothing", [], []],
    ["one line with its end", ["a\n"], ["a"]],
    ["one line without its end", ["a"], ["a"]],
    ["CRLF", ["a\r\nb\r\n"], ["a", "b"]],
    ["CRLF in two pieces", ["a\r", "\nb"], ["a", "b"]],
    ["blank lines", ["\n\na\n \t\n\r\nb\n\n"], ["a", "b"]],
    ["blanks around text stay", [" a \n"], [" a "]],
    ["a carriage return within a line stays", ["a\rb\n"], ["a\rb"]],
    ["a character in two pieces", [Uint8Array.of(0xc3), Uint8Array.of(0xa9, 0x0a)], ["é"]],
    ["a byte order mark", ["\ufeffa\nb"], ["a", "b"]],
    ["a byte order mark alone in its piece", [Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), "a"], ["a"]],
    ["a byte order mark later on is text", ["a\n\ufeffb\n"], ["a", "\ufeffb"]],
  ])("%s", (_name, pieces, lines) => {
    expect(split(pieces)).toEqual(lines.map(text));
  });

  test("that are no UTF-8 are told where they are, and the others are read", () => {
    const latin = Buffer.from("a\ncaf\xe9\r\nb", "latin1");
    expect(split([latin])).toEqual([text("a"), { kind: "not_utf8", start: "caf\ufffd" }, text("b")]);
  });

  test("of many octets are told by their beginning", () => {
    expect(split([`${"a".repeat(100)}\n`])).toEqual([text("a".repeat(100))]);
    const start = `${"a".repeat(64)}…`;
    expect(split([`${"a".repeat(101)}\nb`])).toEqual([{ kind: "too_long", start }, text("b")]);
    expect(split([`b\n${"é".repeat(51)}`])).toEqual([
      text("b"),
      { kind: "too_long", start: `${"é".repeat(32)}…` },
    ]);
  });

  test("of very many octets are not kept", () => {
    const splitter = lineSplitter(100);
    const piece = Buffer.alloc(1 << 20, "a");
    for (let count = 0; count < 100; count++) {
      expect(splitter.push(piece)).toEqual([]);
    }
    expect(splitter.push(Buffer.from("a\nb\n"))).toEqual([
      { kind: "too_long", start: expect.stringMatching(/^a{64}/) },
      text("b"),
    ]);
  });
});

test("do not depend on how the input comes in pieces", () => {
  const characters = fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r", " ", "\ufeff", "b".repeat(40));
  const octets = fc.array(characters).map((all) => Buffer.from(all.join("")));
  fc.assert(
    fc.property(octets, fc.array(fc.nat()), (input, cuts) => {
      const ends = [...cuts.map((cut) => cut % (input.length + 1)).toSorted((a, b) => a - b), input.length];
      const pieces = ends.map((end, index) => input.subarray(ends[index - 1] ?? 0, end));
      const whole = split([input], 64);
      expect(split(pieces, 64)).toEqual(whole);
    }),
  );
});

test("are those of the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (given) => {
      const input = Buffer.from(given.replace(/^\ufeff+/, "")).toString();
      const expected = input
        .split("\n")
        .map((line) => line.replace(/\r$/, ""))
        .filter((line) => line.trim() !== "");
      expect(split([input], 10_000)).toEqual(expected.map(text));
    }),
  );
});
