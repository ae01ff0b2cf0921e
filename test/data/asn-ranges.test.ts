import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { disjointRanges, parseAsnRanges } from "../../data/asn-ranges.js";

describe("parseAsnRanges", () => {
  it.each([
    ["a bare name", "16778240,16779263,38803,Gtelecom Pty Ltd", "Gtelecom Pty Ltd"],
    ["a comma in the name", '16777216,16777471,13335,"Cloudflare, Inc."', "Cloudflare, Inc."],
    ["quotes in the name", '35309568,35313663,201907,"LLC ""SPUTNIK"""', 'LLC "SPUTNIK"'],
    ["an empty name", "0,1,2,", ""],
    ["an empty name in quotes", '0,1,2,""', ""],
  ])("reads %s", (_, line, name) => {
    const [first, last, number] = line.split(",");
    expect(parseAsnRanges(`${line}\n`, "x.csv")).toEqual([
      {
        first: BigInt(first ?? ""),
        last: BigInt(last ?? ""),
        value: { autonomous_system_number: Number(number), autonomous_system_organization: name },
      },
    ]);
  });

  it.each([
    ["LF", "0,1,2,a\n3,4,5,b\n"],
    ["CRLF", "0,1,2,a\r\n3,4,5,b\r\n"],
    ["no end of the last line", "0,1,2,a\n3,4,5,b"],
  ])("reads lines that end in %s", (_, csv) => {
    expect(parseAsnRanges(csv, "x.csv").map(({ first }) => first)).toEqual([0n, 3n]);
  });

  it("reads 128-bit addresses exactly", () => {
    const [range] = parseAsnRanges("0,340282366920938463463374607431768211455,1,x", "x.csv");
    expect(range?.last).toBe(2n ** 128n - 1n);
  });

  it.each([
    ["addresses as text", "1.0.0.0,1.0.0.255,13335,Cloudflare"],
    ["a field too few", "0,1,2"],
    ["a field too many", "0,1,2,a,b"],
    ["quotes without an end", '0,1,2,"a'],
    ["an empty line", ""],
  ])("rejects %s, with the file and the line", (_, line) => {
    expect(() => parseAsnRanges(`0,1,2,a\n${line}\n3,4,5,b\n`, "x.csv")).toThrow(/^x\.csv, line 2: expected/);
  });
});

describe("disjointRanges", () => {
  const range = (first: number, last: number, value: string) => ({
    first: BigInt(first),
    last: BigInt(last),
    value,
  });

  it.each([
    ["sorts", [range(5, 6, "b"), range(1, 2, "a")], [range(1, 2, "a"), range(5, 6, "b")]],
    [
      "cuts an overlap at the end",
      [range(1, 5, "a"), range(4, 8, "b")],
      [range(1, 3, "a"), range(4, 8, "b")],
    ],
    [
      "cuts a hole",
      [range(1, 9, "a"), range(4, 6, "b")],
      [range(1, 3, "a"), range(4, 6, "b"), range(7, 9, "a")],
    ],
    [
      "prefers the shorter of two that start together",
      [range(1, 3, "b"), range(1, 9, "a")],
      [range(1, 3, "b"), range(4, 9, "a")],
    ],
    ["keeps neighbors", [range(1, 2, "a"), range(3, 4, "b")], [range(1, 2, "a"), range(3, 4, "b")]],
    ["keeps none", [], []],
  ])("%s", (_, ranges, expected) => {
    expect(disjointRanges(ranges)).toEqual(expected);
  });

  it("assigns each address to the range that starts last, without overlaps", () => {
    const ranges = fc.array(
      fc
        .tuple(fc.nat(40), fc.nat(12), fc.nat(5))
        .map(([first, length, value]) => range(first, first + length, `${value}`)),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(ranges, (input) => {
        const output = disjointRanges(input);
        for (let address = 0n; address < 60n; address++) {
          const holds = ({ first, last }: { first: bigint; last: bigint }) =>
            first <= address && address <= last;
          const candidates = input.filter(holds);
          const latest = Math.max(...candidates.map(({ first }) => Number(first)));
          const starting = candidates.filter(({ first }) => Number(first) === latest);
          const shortest = Math.min(...starting.map(({ last }) => Number(last)));
          const winners = starting.filter(({ last }) => Number(last) === shortest);
          const found = output.filter(holds);
          expect(found.length).toBe(candidates.length > 0 ? 1 : 0);
          // Ranges with the same bounds: any of their values may be used.
          expect(found.every(({ value }) => winners.some((winner) => winner.value === value))).toBe(true);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
