import type { MmdbRange } from "./mmdb-writer.js";

/** `first,last,number,name`: addresses in decimal, the name in quotes if necessary (RFC 4180). */
const ROW = /^(\d+),(\d+),(\d+),(?:"((?:[^"]|"")*)"|([^",]*))$/;

/**
 * Reads the rows of a CSV file with address ranges and their autonomous systems. The records have the shape of MaxMind's
 * ASN databases. Throws a SyntaxError with the file and the line for a row of another form.
 */
export function parseAsnRanges(csv: string, fileName: string): MmdbRange[] {
  const lines = csv.split(/\r?\n/);
  if (lines.at(-1) === "") {
    lines.pop();
  }
  return lines.map((line, index): MmdbRange => {
    const [, first, last, number, quoted, bare] = ROW.exec(line) ?? [];
    if (first === undefined || last === undefined || number === undefined) {
      throw new SyntaxError(
        `${fileName}, line ${index + 1}: expected "first,last,number,name", got: ${line}`,
      );
    }
    return {
      first: BigInt(first),
      last: BigInt(last),
      value: {
        autonomous_system_number: Number(number),
        autonomous_system_organization: quoted?.replaceAll('""', '"') ?? bare ?? "",
      },
    };
  });
}

/**
 * Sorts ranges and removes their overlaps. An address in several ranges belongs to the one that starts last; if several
 * start together, to the shortest. Routes overlap if a part of a network is announced separately, so the narrower one is
 * more specific.
 */
export function disjointRanges(ranges: readonly MmdbRange[]): MmdbRange[] {
  const sorted = ranges.toSorted((a, b) => compare(a.first, b.first) || compare(b.last, a.last));
  const result: MmdbRange[] = [];
  // Ranges that have started and may continue after `next`; the last one takes precedence.
  const open: MmdbRange[] = [];
  let next = 0n;
  const writeUntil = (end: bigint): void => {
    while (next < end) {
      const top = open.at(-1);
      if (top === undefined) {
        next = end;
      } else if (top.last < next) {
        open.pop();
      } else {
        const last = top.last < end ? top.last : end - 1n;
        result.push({ first: next, last, value: top.value });
        next = last + 1n;
      }
    }
  };
  for (const range of sorted) {
    writeUntil(range.first);
    open.push(range);
  }
  writeUntil(sorted.reduce((end, { last }) => (last >= end ? last + 1n : end), 0n));
  return result;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
