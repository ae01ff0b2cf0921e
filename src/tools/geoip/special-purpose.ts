import { addressBits, type IpAddress, parseAddress } from "../../ip-address.js";
import { SPECIAL_PURPOSE_BLOCKS, type SpecialPurposeBlock } from "./special-purpose-registry.js";

/** A node of a binary tree over the bits of addresses. */
interface PrefixNode {
  block?: SpecialPurposeBlock;
  readonly children: [PrefixNode | undefined, PrefixNode | undefined];
}

/** What the registries say of an address. */
export interface SpecialPurposeAnswer {
  /** The narrowest block that the address is in; undefined when it is in none. */
  readonly block: SpecialPurposeBlock | undefined;
  /** The length of the shortest prefix of the address for all of which this holds. */
  readonly prefixLength: number;
}

const TREES = { 4: prefixTree(4), 6: prefixTree(6) };

/** Looks an address up among the special-purpose blocks. */
export function findSpecialPurpose({ family, bytes }: IpAddress): SpecialPurposeAnswer {
  let node = TREES[family];
  let block = node.block;
  const bits = addressBits(family);
  for (let depth = 0; depth < bits; depth++) {
    const child = node.children[bitAt(bytes, depth)];
    if (child === undefined) {
      const isLeaf = node.children[0] === node.children[1];
      return { block, prefixLength: isLeaf ? depth : depth + 1 };
    }
    node = child;
    block = node.block ?? block;
  }
  return { block, prefixLength: bits };
}

function prefixTree(family: 4 | 6): PrefixNode {
  const root: PrefixNode = { children: [undefined, undefined] };
  for (const entry of SPECIAL_PURPOSE_BLOCKS) {
    const { address, prefixLength } = parseBlock(entry.block);
    if (address.family !== family) {
      continue;
    }
    let node = root;
    for (let depth = 0; depth < prefixLength; depth++) {
      const bit = bitAt(address.bytes, depth);
      const child = node.children[bit] ?? { children: [undefined, undefined] };
      node.children[bit] = child;
      node = child;
    }
    node.block = entry;
  }
  return root;
}

function parseBlock(block: string): { address: IpAddress; prefixLength: number } {
  const [text = "", prefixLength] = block.split("/");
  const address = parseAddress(text);
  if (!address.ok) {
    throw new Error(`${block} in the table of special-purpose blocks: ${address.failure.description}`);
  }
  return { address: address.value, prefixLength: Number(prefixLength) };
}

function bitAt(bytes: readonly number[], index: number): 0 | 1 {
  return ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) === 0 ? 0 : 1;
}
