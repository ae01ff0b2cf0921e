import { type IpAddress, ipAddress } from "../../../text/ip-address.js";
import { DamagedData } from "./block-source.js";
import { checkMmdbValue, type MmdbSection, unsigned } from "./mmdb-limits.js";
import { type SearchTree, treeScanner } from "./mmdb-tree.js";
import type { NetworkSearch } from "./movable-reader.js";

/** The nodes that one step reads, which takes less than a millisecond. */
const NODES_PER_STEP = 4_096;

/** More than the nodes of a tree, whose nodes have one parent each, and those that steps read again. */
const MAX_READS = 2.5;

/** The records that a search remembers as without the number. A power of two. */
const KNOWN = 2 ** 15;

/** The length of the longest text of a number: `AS4294967295`. */
const MAX_DIGITS = 12;

/**
 * Returns the search in an MMDB file. It checks each record as lookups do, but decodes none: that would take ten times as long.
 *
 * @param dataStart the position in the file to which the tree refers as the first one after its nodes
 */
export function mmdbSearch(tree: SearchTree, data: MmdbSection, dataStart: number): NetworkSearch {
  const scan = treeScanner(tree);
  return {
    maxSteps: Math.ceil((MAX_READS * tree.nodeCount) / NODES_PER_STEP) + 1,
    known: () => new Uint32Array(KNOWN),
    step(family, number, from, known) {
      const found: IpAddress[] = [];
      const next = scan(family, from, NODES_PER_STEP, (value, address) => {
        const slot = Math.imul(value, 0x9e37_79b1) >>> 17;
        if (known[slot] === value) {
          return;
        }
        if (hasNumber(data, dataStart + value - tree.nodeCount, number)) {
          found.push(ipAddress([...address]));
        } else {
          known[slot] = value;
        }
      });
      return { found, next };
    },
  };
}

/** Whether a record has a number, also as text. Throws {@link DamagedData} if the record is damaged. */
function hasNumber(data: MmdbSection, position: number, number: number): boolean {
  let isFound = false;
  const digits = String(number);
  const damage = checkMmdbValue(data, position, (start, size, isText) => {
    isFound ||= isText
      ? size >= digits.length && size <= MAX_DIGITS && endsWith(data.bytes, start + size, digits)
      : unsigned(data.bytes, start, size) === number;
  });
  if (damage !== undefined) {
    throw new DamagedData(damage);
  }
  return isFound;
}

function endsWith(bytes: Uint8Array, end: number, digits: string): boolean {
  for (let index = 1; index <= digits.length; index++) {
    if (bytes[end - index] !== digits.charCodeAt(digits.length - index)) {
      return false;
    }
  }
  return true;
}
