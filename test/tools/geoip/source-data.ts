import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// An independent implementation of ASN lookups: binary search in the CSV files with addresses as text.

/** An autonomous system of the source. */
export interface SourceAsn {
  readonly number: number;
  readonly name: string;
}

interface Row extends SourceAsn {
  readonly first: string;
  readonly last: string;
}

/** Returns all hexadecimal digits of an address, so that texts sort like addresses. */
function digits(address: string): string {
  if (!address.includes(":")) {
    return address
      .split(".")
      .map((part) => Number(part).toString(16).padStart(2, "0"))
      .join("");
  }
  const [before = "", after = ""] = address.split("::");
  const groups = (text: string) =>
    (text === "" ? [] : text.split(":")).map((group) => group.padStart(4, "0"));
  const [left, right] = [groups(before), groups(after)];
  return [...left, ...new Array<string>(8 - left.length - right.length).fill("0000"), ...right].join("");
}

function readRows(fileName: string): Row[] {
  const path = createRequire(import.meta.url).resolve(`@ip-location-db/asn/${fileName}`);
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [first = "", last = "", number = ""] = line.split(",", 3);
      const name = line.slice(first.length + last.length + number.length + 3);
      return {
        first: digits(first),
        last: digits(last),
        number: Number(number),
        name: name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name,
      };
    });
}

/** Reads the ASN data of the package. */
export function asnSource() {
  const rows = { 4: readRows("asn-ipv4.csv"), 6: readRows("asn-ipv6.csv") };
  return {
    /** Returns the autonomous system of an address. */
    find(address: string): SourceAsn | undefined {
      const wanted = digits(address);
      const candidates = address.includes(":") ? rows[6] : rows[4];
      let [low, high] = [0, candidates.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((candidates[middle]?.first ?? "") <= wanted) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      const row = candidates[low - 1];
      return row !== undefined && wanted <= row.last ? { number: row.number, name: row.name } : undefined;
    },
    /** Returns the first and the last address of a range of IPv6 addresses, as numbers; the index wraps around. */
    ipv6Range(index: number): { readonly first: bigint; readonly last: bigint } {
      const row = rows[6][index % rows[6].length];
      return { first: BigInt(`0x${row?.first}`), last: BigInt(`0x${row?.last}`) };
    },
  };
}

/** Returns the same random numbers in every run: a linear congruential generator of 64 bits. */
export function randomNumbers(seed: bigint): (bits: number) => bigint {
  let state = seed;
  const next32 = () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return state >> 32n;
  };
  return (bits) => {
    let number = 0n;
    for (let have = 0; have < bits; have += 32) {
      number = (number << 32n) | next32();
    }
    return number & ((1n << BigInt(bits)) - 1n);
  };
}
