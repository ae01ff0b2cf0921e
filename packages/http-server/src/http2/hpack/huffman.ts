/**
 * The length in bits of the Huffman code of each byte, and of EOS (RFC 7541, appendix B). The codes follow from the lengths:
 * shorter codes come first, and codes of one length are consecutive numbers in the order of their bytes.
 */
// biome-ignore format: one row for each 16 bytes
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

const EOS = 256;
/** Marks an entry of the decoding table that leads to another node. */
const IS_NODE = 0x8000;
/** The entry of EOS, whose code is invalid (section 5.2). */
const IS_INVALID = 0xffff;

const nodes = buildTable();

/** Where the bytes of a string are collected. A longer string has a buffer of its own. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * The text of a Huffman-coded string, in ISO 8859-1. Undefined if the encoding is invalid: it has EOS in it, or its padding is
 * longer than 7 bits or not all ones (RFC 7541, section 5.2).
 */
export function huffmanDecode(bytes: Uint8Array, start: number, end: number): string | undefined {
  // The shortest code has 5 bits.
  const bound = Math.floor(((end - start) * 8) / 5);
  const target = bound <= scratch.length ? scratch : Buffer.allocUnsafe(bound);
  let length = 0;
  let node = 0;
  // The low `count` bits of `bits` are not decoded yet. There are at most 15, so what overflows is never used.
  let bits = 0;
  let count = 0;
  for (let at = start; at < end; at++) {
    bits = (bits << 8) | (bytes[at] as number);
    count += 8;
    while (count >= 8) {
      const entry = nodes[node | ((bits >>> (count - 8)) & 0xff)] as number;
      if (entry < IS_NODE) {
        target[length++] = entry;
        count -= (entry >>> 8) & 0xf;
        node = 0;
      } else {
        if (entry === IS_INVALID) return undefined;
        count -= 8;
        node = entry & 0x7fff;
      }
    }
  }
  while (count > 0) {
    const entry = nodes[node | ((bits << (8 - count)) & 0xff)] as number;
    const bitCount = (entry >>> 8) & 0xf;
    if (entry >= IS_NODE || bitCount > count) break;
    target[length++] = entry;
    count -= bitCount;
    node = 0;
  }
  // A node other than the root has consumed 8 bits without a code.
  const padding = (1 << count) - 1;
  if (node !== 0 || (bits & padding) !== padding) return undefined;
  return target.toString("latin1", 0, length);
}

/**
 * Makes the decoding table. It has a node of 256 entries for each 8 bits of a code; the index of a node
 * is that of its first entry. An entry is the byte (bits 0 to 7) and the number of bits that its code has in this node (bits 8
 * to 11); or the index of the next node.
 */
function buildTable(): Uint16Array {
  const nodes: number[] = new Array(256).fill(0);
  const symbols = LENGTHS.map((_, symbol) => symbol);
  symbols.sort((a, b) => (LENGTHS[a] as number) - (LENGTHS[b] as number) || a - b);
  let code = 0;
  let previous = 0;
  for (const symbol of symbols) {
    const length = LENGTHS[symbol] as number;
    code <<= length - previous;
    previous = length;
    let node = 0;
    let left = length;
    for (; left > 8; left -= 8) {
      const at = node | ((code >>> (left - 8)) & 0xff);
      if (nodes[at] === 0) {
        nodes[at] = IS_NODE | nodes.length;
        for (let i = 0; i < 256; i++) nodes.push(0);
      }
      node = (nodes[at] as number) & 0x7fff;
    }
    const first = node | ((code << (8 - left)) & 0xff);
    const entry = symbol === EOS ? IS_INVALID : (left << 8) | symbol;
    nodes.fill(entry, first, first + (1 << (8 - left)));
    code++;
  }
  return Uint16Array.from(nodes);
}
