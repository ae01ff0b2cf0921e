import type { AddressBytes } from "../../../../text/ip-address.js";
import { type BlockSource, DamagedData } from "../block-source.js";
import type { Part } from "./columns-parts.js";
import { MAX_SHIFT, MAX_VARINT, numberAt, numberEnd } from "./varints.js";

/** Instead of the number of a location: the networks in the range have more than 64 bits, and are in the table `longer`. */
export const LONGER = 0xffff_ffff;

/** The ranges in a block, of which the last one may have fewer. */
const RANGES_PER_BLOCK = 16;

/** The range of an address. */
export interface Range {
  /** The number of its location, or 0 if it has none. */
  readonly id: number;
  /** The prefix length of the largest block around the address within the range. */
  readonly prefixLength: number;
}

/** Returns a function that finds the range of an address. Both throw {@link DamagedData}. */
export function addressFinder(
  source: BlockSource,
  part: (name: string) => Part,
): (address: AddressBytes) => Range {
  const ipv4 = rangeFinder(source, part, "ipv4", 1);
  const ipv6 = rangeFinder(source, part, "ipv6", 2);
  const longer = rangeFinder(source, part, "longer", 4);
  return ({ family, bytes }) => {
    const words = wordsOf(bytes);
    const range = family === 4 ? ipv4(words) : ipv6(words);
    return range.id === LONGER ? longer(words) : range;
  };
}

/** Returns the 32-bit words of an address. */
export function wordsOf(bytes: readonly number[]): number[] {
  const words: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    const low = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    words.push(((high << 16) | low) >>> 0);
  }
  return words;
}

/**
 * Returns a function that finds the range of an address by its first `width` words. Ranges start at 0, and each ends where the next one starts.
 */
function rangeFinder(
  source: BlockSource,
  part: (name: string) => Part,
  table: string,
  width: number,
): (words: readonly number[]) => Range {
  const [firsts, index, blocks] = [part(`${table}-firsts`), part(`${table}-index`), part(`${table}-blocks`)];
  const { bytes, view } = source;
  const bits = Math.log2(firsts.length / 4 - 1);
  const shift = 32 - bits;
  // A row has the first start and the position of a block. The last row has the end of the last block.
  const rowSize = 4 * (width + 1);
  const count = index.length / rowSize - 1;
  if (!(Number.isInteger(bits) && bits >= 1 && bits <= 32 && Number.isInteger(count) && count >= 1)) {
    throw new DamagedData(`its table ${table} has a wrong length`);
  }
  const maxBlock = RANGES_PER_BLOCK * (width + 1) * MAX_VARINT;
  /** The start of the range, and the start of the next one. */
  const [start, next] = [new Uint32Array(width), new Uint32Array(width)];

  function isAfter(at: number, words: readonly number[]): boolean {
    for (let word = 0; word < width; word++) {
      const first = view.getUint32(at + 4 * word, true);
      const own = words[word] ?? 0;
      if (first !== own) {
        return first > own;
      }
    }
    return false;
  }

  /** Returns the last block that starts at the address or before. */
  function findBlock(words: readonly number[]): number {
    const own = words[0] ?? 0;
    const first = firsts.at(4 * (own >>> shift), 8);
    let from = Math.max(0, view.getUint32(first, true) - 1);
    let to = view.getUint32(first + 4, true) - 1;
    if (to >= count) {
      throw new DamagedData("a number in it is too large");
    }
    while (from < to) {
      const middle = (from + to + 1) >>> 1;
      const row = index.at(middle * rowSize, rowSize);
      const start0 = view.getUint32(row, true);
      if (start0 > own || (start0 === own && isAfter(row, words))) {
        to = middle - 1;
      } else {
        from = middle;
      }
    }
    return from;
  }

  /** Returns the number of leading bits that an address shares with an edge less `borrow`. */
  function sharedBits(edge: Uint32Array, words: readonly number[], borrow: 0 | 1): number {
    let shared = 32 * width;
    let rest: number = borrow;
    for (let word = width - 1; word >= 0; word--) {
      const value = edge[word] ?? 0;
      const different = (value - rest) ^ (words[word] ?? 0);
      rest = value < rest ? 1 : 0;
      shared = different === 0 ? shared : 32 * word + Math.clz32(different);
    }
    return shared;
  }

  /**
   * Reads a block from its second range on, as far as the address: the start of the address's range into `start`, and that of the next one into
   * `next`. Returns the location. The table has one or two words. Numbers are read as by `numberAt`, whose calls take twice the time.
   */
  function scan(words: readonly number[], at: number, end: number): number {
    const own0 = words[0] ?? 0;
    const own1 = words[1] ?? 0;
    let start0 = start[0] ?? 0;
    let start1 = start[1] ?? 0;
    let next0 = 0;
    let next1 = 0;
    let id = numberAt(bytes, at);
    at = numberEnd(bytes, at);
    while (at < end) {
      let byte = bytes[at++] ?? 0;
      let zigzag = byte & 127;
      if (byte > 127) {
        byte = bytes[at++] ?? 0;
        zigzag |= (byte & 127) << 7;
        for (let shift = 14; byte > 127 && shift < MAX_SHIFT; shift += 7) {
          byte = bytes[at++] ?? 0;
          zigzag |= (byte & 127) << shift;
        }
      }
      next0 = (start0 + ((zigzag >>> 1) ^ -(zigzag & 1))) >>> 0;
      if (width === 2) {
        byte = bytes[at++] ?? 0;
        zigzag = byte & 127;
        if (byte > 127) {
          byte = bytes[at++] ?? 0;
          zigzag |= (byte & 127) << 7;
          for (let shift = 14; byte > 127 && shift < MAX_SHIFT; shift += 7) {
            byte = bytes[at++] ?? 0;
            zigzag |= (byte & 127) << shift;
          }
        }
        next1 = (start1 + ((zigzag >>> 1) ^ -(zigzag & 1))) >>> 0;
      }
      if (next0 > own0 || (next0 === own0 && next1 > own1)) {
        next[0] = next0;
        next[1] = next1;
        break;
      }
      start0 = next0;
      start1 = next1;
      byte = bytes[at++] ?? 0;
      zigzag = byte & 127;
      if (byte > 127) {
        byte = bytes[at++] ?? 0;
        zigzag |= (byte & 127) << 7;
        for (let shift = 14; byte > 127 && shift < MAX_SHIFT; shift += 7) {
          byte = bytes[at++] ?? 0;
          zigzag |= (byte & 127) << shift;
        }
      }
      id = (id + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
    }
    start[0] = start0;
    start[1] = start1;
    return id;
  }

  /** As {@link scan}, for a table with any number of words. */
  function scanLong(words: readonly number[], at: number, end: number): number {
    let id = numberAt(bytes, at);
    at = numberEnd(bytes, at);
    while (at < end) {
      let order = 0;
      const row = start.map((value, word) => {
        const later = (value + numberAt(bytes, at)) >>> 0;
        at = numberEnd(bytes, at);
        order ||= later - (words[word] ?? 0);
        return later;
      });
      if (order > 0) {
        next.set(row);
        break;
      }
      start.set(row);
      id = (id + numberAt(bytes, at)) | 0;
      at = numberEnd(bytes, at);
    }
    return id;
  }

  return (words) => {
    const entry = index.at(findBlock(words) * rowSize, 2 * rowSize);
    for (let word = 0; word < width; word++) {
      start[word] = view.getUint32(entry + 4 * word, true);
      next[word] = view.getUint32(entry + rowSize + 4 * word, true);
    }
    const position = view.getUint32(entry + 4 * width, true);
    const length = view.getUint32(entry + rowSize + 4 * width, true) - position;
    if (length > maxBlock) {
      throw new DamagedData("a block in it is too long");
    }
    const at = blocks.at(position, length);
    const id = width < 3 ? scan(words, at, at + length) : scanLong(words, at, at + length);
    const shared = Math.max(sharedBits(start, words, 1), sharedBits(next, words, 0));
    return { id: id >>> 0, prefixLength: Math.min(shared + 1, 32 * width) };
  };
}
