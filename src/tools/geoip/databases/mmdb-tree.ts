import { bitAt, moveToNext } from "../../../text/address-range.js";
import { type AddressBytes, addressBits } from "../../../text/ip-address.js";
import { type BlockSource, DamagedData } from "./block-source.js";

/** The search tree of a database, as its metadata describe it. */
export interface SearchTree {
  /** The file, which starts with the tree. */
  readonly bytes: Uint8Array;
  /** The size of each half of a node, in bits: 24, 28 or 32. */
  readonly recordSize: number;
  readonly nodeCount: number;
  /** 6: the tree is 128 bits deep, with IPv4 addresses below 96 zeros. */
  readonly ipVersion: 4 | 6;
  /** Makes bytes of the file available before they are read; undefined: all are. */
  readonly at?: BlockSource["at"];
}

/** The end of a walk. */
export interface TreeLeaf {
  /** The node count if there is no record; a larger number identifies a record. A smaller one: the tree is too deep. */
  readonly value: number;
  /** The number of address bits on the way. */
  readonly depth: number;
}

/**
 * Returns a function that walks the tree along the bits of an address. The tree must have addresses of its family.
 * https://maxmind.github.io/MaxMind-DB/#binary-search-tree-section
 *
 * The rest of the format is left to `maxmind`. Its own walk starts from the text of an address, which it parses once per
 * file, and takes at least three times as long.
 */
export function treeWalker(tree: SearchTree): (address: AddressBytes) => TreeLeaf {
  const { bytes, recordSize, nodeCount, at } = tree;
  const nodeSize = recordSize / 4;
  const walk = (path: readonly number[], { value, depth }: TreeLeaf, end: number): TreeLeaf => {
    let node = value;
    let index = depth;
    for (; index < end && node < nodeCount; index++) {
      at?.(node * nodeSize, nodeSize);
      node = childOf(bytes, recordSize, node, bitAt(path, index));
    }
    return { value: node, depth: index };
  };
  const ipv4Start = ipv4StartOf(tree);
  // The first half of the walk of an IPv4 address is known after the first address with the same two bytes. Reading the
  // file takes most of the time, because the steps lead to distant places in it. Few IPv6 addresses differ in the first bytes.
  const values = new Uint32Array(0x1_0000);
  const depths = new Uint8Array(0x1_0000);
  return ({ family, bytes: path }) => {
    if (family === 6) {
      return walk(path, { value: 0, depth: 0 }, addressBits(family));
    }
    const pair = ((path[0] ?? 0) << 8) | (path[1] ?? 0);
    let half = { value: values[pair] ?? 0, depth: depths[pair] ?? 0 };
    if (half.depth === 0) {
      half = walk(path, { value: ipv4Start, depth: 0 }, 16);
      values[pair] = half.value;
      depths[pair] = half.depth;
    }
    return walk(path, half, addressBits(family));
  };
}

/** Returns the node or the leaf below which IPv4 addresses are. */
function ipv4StartOf({ bytes, recordSize, nodeCount, ipVersion, at }: SearchTree): number {
  let start = 0;
  for (let depth = 0; ipVersion === 6 && depth < 96 && start < nodeCount; depth++) {
    at?.((start * recordSize) / 4, recordSize / 4);
    start = childOf(bytes, recordSize, start, 0);
  }
  return start;
}

/**
 * Returns a function that visits the leaves of one family with records, in the order of addresses, from an address on. It reads at least
 * `count` nodes unless the tree ends, and returns the address of the next leaf; undefined after the last one. `visit` is called with an address
 * of the leaf, which is valid during the call. IPv4 addresses within those of IPv6 are not visited. Throws {@link DamagedData} for
 * a tree that is deeper than an address.
 */
export function treeScanner(
  tree: SearchTree,
): (
  family: 4 | 6,
  from: readonly number[],
  count: number,
  visit: (value: number, address: readonly number[]) => void,
) => number[] | undefined {
  const { bytes, recordSize, nodeCount, at } = tree;
  const nodeSize = recordSize / 4;
  const ipv4Start = ipv4StartOf(tree);
  return (family, from, count, visit) => {
    const path = [...from];
    const end = addressBits(family);
    /** The nodes on the way to the leaf. */
    const nodes = new Uint32Array(end + 1);
    nodes[0] = family === 4 ? ipv4Start : 0;
    for (let depth = 0, read = 0; ; ) {
      let node = nodes[depth] ?? 0;
      while (node < nodeCount && !(family === 6 && node === ipv4Start)) {
        if (depth === end) {
          throw new DamagedData("the search tree is deeper than an address");
        }
        at?.(node * nodeSize, nodeSize);
        node = childOf(bytes, recordSize, node, bitAt(path, depth));
        depth++;
        read++;
        nodes[depth] = node;
      }
      if (node > nodeCount) {
        visit(node, path);
      }
      // The next leaf is below the other half of the last node of which this is the first half.
      const shared = moveToNext(path, depth);
      if (shared === undefined) {
        return undefined;
      }
      depth = shared;
      if (read >= count) {
        return path;
      }
    }
  };
}

/** Reads the left (0) or right (1) half of a node. */
function childOf(bytes: Uint8Array, recordSize: number, node: number, bit: number): number {
  switch (recordSize) {
    case 24:
      return threeBytes(bytes, node * 6 + bit * 3);
    case 28: {
      const at = node * 7;
      // The byte in the middle has the highest four bits of both halves, those of the left half first.
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
