/** An inclusive range of addresses, as numbers, and the value of its addresses. */
export interface AddressRange<T> {
  readonly first: bigint;
  readonly last: bigint;
  readonly value: T;
}

/** A binary search tree over address bits. */
export interface AddressTree {
  /** The number of nodes; node 0 is the root. */
  readonly nodeCount: number;
  /**
   * The left (bit 0) and right (bit 1) record of each node in turn: the number of a node, `EMPTY`, or `-(value + 2)` for
   * a leaf.
   */
  readonly records: Int32Array;
}

/** The record of addresses that are in no range. */
export const EMPTY = -1;

/** Returns the value of a record that is a leaf. */
export function leafValue(record: number): number {
  return -record - 2;
}

/**
 * Builds the smallest tree in which the addresses of each range lead to its value, a number from 0 on. Two neighboring
 * halves with the same value become one leaf, so that the depth of a lookup is the length of the shortest prefix whose
 * addresses all have the result.
 *
 * The ranges must be sorted, must not overlap, and must fit in `bits` (32 or 128) bits. Throws a RangeError with the first
 * invalid one.
 */
export function addressTree(ranges: readonly AddressRange<number>[], bits: number): AddressTree {
  checkRanges(ranges, bits);
  let records = new Int32Array(1 << 16);
  let nodeCount = 0;

  // Returns the record of the 2^height addresses from `base`, some of which are in the ranges [from, to).
  const build = (base: bigint, height: number, from: number, to: number): number => {
    const only = ranges[from];
    if (from === to || only === undefined) {
      return EMPTY;
    }
    if (to - from === 1 && only.first <= base && only.last >= base + (1n << BigInt(height)) - 1n) {
      return -(only.value + 2);
    }
    const node = nodeCount++;
    if (records.length < 2 * nodeCount) {
      const larger = new Int32Array(records.length * 2);
      larger.set(records);
      records = larger;
    }
    const middle = base + (1n << BigInt(height - 1));
    const left = build(
      base,
      height - 1,
      from,
      lowerBound(from, to, (range) => range.first >= middle),
    );
    const right = build(
      middle,
      height - 1,
      lowerBound(from, to, (range) => range.last >= middle),
      to,
    );
    // The root always stays, because a tree has at least one node.
    if (left === right && left < 0 && node > 0) {
      nodeCount--;
      return left;
    }
    records[2 * node] = left;
    records[2 * node + 1] = right;
    return node;
  };

  // Returns the first of the ranges [from, to) that passes. All ranges after it pass too.
  const lowerBound = (from: number, to: number, passes: (range: AddressRange<number>) => boolean): number => {
    let low = from;
    let high = to;
    while (low < high) {
      const probe = (low + high) >>> 1;
      const range = ranges[probe];
      if (range !== undefined && passes(range)) {
        high = probe;
      } else {
        low = probe + 1;
      }
    }
    return low;
  };

  const root = build(0n, bits, 0, ranges.length);
  // A tree with one result for all addresses still has a node.
  return root < 0
    ? { nodeCount: 1, records: Int32Array.of(root, root) }
    : { nodeCount, records: records.subarray(0, 2 * nodeCount) };
}

function checkRanges(ranges: readonly AddressRange<number>[], bits: number): void {
  const end = 1n << BigInt(bits);
  let previousLast = -1n;
  for (const { first, last } of ranges) {
    if (first > last || last >= end) {
      throw new RangeError(`The range ${first}-${last} is not one of ${bits}-bit addresses.`);
    }
    if (first <= previousLast) {
      throw new RangeError(`The range ${first}-${last} overlaps the one before it, or is not in order.`);
    }
    previousLast = last;
  }
}
