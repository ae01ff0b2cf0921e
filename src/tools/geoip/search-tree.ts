import { addressBits, type IpAddress } from "../../ip-address.js";

/** The search tree at the beginning of a database file, as its metadata describe it. */
export interface SearchTree {
  /** The file. */
  readonly bytes: Uint8Array;
  /** The size of each half of a node, in bits: 24, 28 or 32; there are no others. */
  readonly recordSize: number;
  readonly nodeCount: number;
  /** 6: the tree is 128 bits deep, and IPv4 addresses are found below 96 zeros. */
  readonly ipVersion: 4 | 6;
}

/** Where a walk ended. */
export interface TreeLeaf {
  /** The node count where there is no record; a larger number stands for one record. */
  readonly value: number;
  /** How many bits of the address led there. */
  readonly depth: number;
}

/**
 * Makes the function that walks the tree along the bits of an address, which must be of a family that the tree has:
 * https://maxmind.github.io/MaxMind-DB/#binary-search-tree-section
 *
 * This is all of the format that is known here. maxmind offers a walk from the text of an address alone, which it splits
 * anew for each file, and takes three times as long or more; it reads the records.
 */
export function treeWalker({
  bytes,
  recordSize,
  nodeCount,
  ipVersion,
}: SearchTree): (address: IpAddress) => TreeLeaf {
  const walk = ({ family, bytes: path }: IpAddress, start: number): TreeLeaf => {
    const bits = addressBits(family);
    let value = start;
    let depth = 0;
    for (; depth < bits && value < nodeCount; depth++) {
      const bit = ((path[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
      value = childOf(bytes, recordSize, value, bit);
    }
    return { value, depth };
  };
  let ipv4Start = 0;
  for (let depth = 0; ipVersion === 6 && depth < 96 && ipv4Start < nodeCount; depth++) {
    ipv4Start = childOf(bytes, recordSize, ipv4Start, 0);
  }
  return (address) => walk(address, address.family === 4 ? ipv4Start : 0);
}

/** The left (0) or right (1) half of a node. */
function childOf(bytes: Uint8Array, recordSize: number, node: number, bit: number): number {
  switch (recordSize) {
    case 24:
      return threeBytes(bytes, node * 6 + bit * 3);
    case 28: {
      const at = node * 7;
      // The byte in the middle has the highest four bits of both halves, those of the left one first.
      const middle = bytes[at + 3] ?? 0;
      return bit === 0
        ? ((middle & 0xf0) << 20) | threeBytes(bytes, at)
        : ((middle & 0x0f) << 24) | threeBytes(bytes, at + 4);
    }
    default: {
      const at = node * 8 + bit * 4;
      return (bytes[at] ?? 0) * 0x100_0000 + threeBytes(bytes, at + 1);
    }
  }
}

function threeBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}
