import { bitAt } from "../../text/address-range.js";
import { type AddressBytes, addressBits, type IpAddress, parseAddress } from "../../text/ip-address.js";
import { ALLOCATED_REFERENCE, unallocatedBlocks } from "./allocated-blocks.js";

/** A block of addresses that public hosts do not use. */
export interface SpecialPurposeBlock {
  /** In CIDR notation, canonical. */
  readonly block: string;
  /** The name in the registry. */
  readonly name: string;
  /** The document that reserves it. */
  readonly reference: string;
}

/** The date of the registries that {@link SPECIAL_PURPOSE_BLOCKS} is from. */
export const SPECIAL_PURPOSE_EDITION = "2025-10-09";

/**
 * The blocks that are never looked up, even if a location database has records for them. Every row of
 *
 * - the IANA IPv4 and IPv6 Special-Purpose Address Registries, {@link SPECIAL_PURPOSE_EDITION}
 *   (https://www.iana.org/assignments/iana-ipv4-special-registry and
 *   https://www.iana.org/assignments/iana-ipv6-special-registry), including globally reachable ones, because
 *   they are anycast or contain another address;
 * - IPv4 multicast, which has its own registry;
 * - the IANA IPv6 address space registry (https://www.iana.org/assignments/ipv6-address-space) outside
 *   2000::/3, the only block that addresses are allocated from, and its notes about former uses.
 *
 * Omitted: ::ffff:0:0/96, whose addresses are looked up as IPv4 addresses.
 */
export const SPECIAL_PURPOSE_BLOCKS: readonly SpecialPurposeBlock[] = [
  { block: "0.0.0.0/8", name: '"This network"', reference: "RFC 791, section 3.2" },
  { block: "0.0.0.0/32", name: '"This host on this network"', reference: "RFC 1122, section 3.2.1.3" },
  { block: "10.0.0.0/8", name: "Private-Use", reference: "RFC 1918" },
  { block: "100.64.0.0/10", name: "Shared Address Space", reference: "RFC 6598" },
  { block: "127.0.0.0/8", name: "Loopback", reference: "RFC 1122, section 3.2.1.3" },
  { block: "169.254.0.0/16", name: "Link Local", reference: "RFC 3927" },
  { block: "172.16.0.0/12", name: "Private-Use", reference: "RFC 1918" },
  { block: "192.0.0.0/24", name: "IETF Protocol Assignments", reference: "RFC 6890, section 2.1" },
  { block: "192.0.0.0/29", name: "IPv4 Service Continuity Prefix", reference: "RFC 7335" },
  { block: "192.0.0.8/32", name: "IPv4 dummy address", reference: "RFC 7600" },
  { block: "192.0.0.9/32", name: "Port Control Protocol Anycast", reference: "RFC 7723" },
  { block: "192.0.0.10/32", name: "Traversal Using Relays around NAT Anycast", reference: "RFC 8155" },
  { block: "192.0.0.170/32", name: "NAT64/DNS64 Discovery", reference: "RFC 8880; RFC 7050, section 2.2" },
  { block: "192.0.0.171/32", name: "NAT64/DNS64 Discovery", reference: "RFC 8880; RFC 7050, section 2.2" },
  { block: "192.0.2.0/24", name: "Documentation (TEST-NET-1)", reference: "RFC 5737" },
  { block: "192.31.196.0/24", name: "AS112-v4", reference: "RFC 7535" },
  { block: "192.52.193.0/24", name: "AMT", reference: "RFC 7450" },
  { block: "192.88.99.0/24", name: "Deprecated (6to4 Relay Anycast)", reference: "RFC 7526" },
  { block: "192.88.99.2/32", name: "6a44-relay anycast address", reference: "RFC 6751" },
  { block: "192.168.0.0/16", name: "Private-Use", reference: "RFC 1918" },
  { block: "192.175.48.0/24", name: "Direct Delegation AS112 Service", reference: "RFC 7534" },
  { block: "198.18.0.0/15", name: "Benchmarking", reference: "RFC 2544" },
  { block: "198.51.100.0/24", name: "Documentation (TEST-NET-2)", reference: "RFC 5737" },
  { block: "203.0.113.0/24", name: "Documentation (TEST-NET-3)", reference: "RFC 5737" },
  { block: "224.0.0.0/4", name: "Multicast", reference: "RFC 5771" },
  { block: "240.0.0.0/4", name: "Reserved", reference: "RFC 1112, section 4" },
  { block: "255.255.255.255/32", name: "Limited Broadcast", reference: "RFC 8190; RFC 919, section 7" },

  { block: "::/8", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "::/96", name: "IPv4-Compatible Address (deprecated)", reference: "RFC 4291, section 2.5.5.1" },
  { block: "::/128", name: "Unspecified Address", reference: "RFC 4291" },
  { block: "::1/128", name: "Loopback Address", reference: "RFC 4291" },
  { block: "64:ff9b::/96", name: "IPv4-IPv6 Translation", reference: "RFC 6052" },
  { block: "64:ff9b:1::/48", name: "IPv4-IPv6 Translation", reference: "RFC 8215" },
  { block: "100::/8", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "100::/64", name: "Discard-Only Address Block", reference: "RFC 6666" },
  { block: "100:0:0:1::/64", name: "Dummy IPv6 Prefix", reference: "RFC 9780" },
  { block: "200::/7", name: "Reserved by IETF", reference: "RFC 4048" },
  { block: "400::/6", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "800::/5", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "1000::/4", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "2001::/23", name: "IETF Protocol Assignments", reference: "RFC 2928" },
  { block: "2001::/32", name: "TEREDO", reference: "RFC 4380" },
  { block: "2001:1::1/128", name: "Port Control Protocol Anycast", reference: "RFC 7723" },
  { block: "2001:1::2/128", name: "Traversal Using Relays around NAT Anycast", reference: "RFC 8155" },
  { block: "2001:1::3/128", name: "DNS-SD Service Registration Protocol Anycast", reference: "RFC 9665" },
  { block: "2001:2::/48", name: "Benchmarking", reference: "RFC 5180" },
  { block: "2001:3::/32", name: "AMT", reference: "RFC 7450" },
  { block: "2001:4:112::/48", name: "AS112-v6", reference: "RFC 7535" },
  { block: "2001:10::/28", name: "Deprecated (previously ORCHID)", reference: "RFC 4843" },
  { block: "2001:20::/28", name: "ORCHIDv2", reference: "RFC 7343" },
  {
    block: "2001:30::/28",
    name: "Drone Remote ID Protocol Entity Tags (DETs) Prefix",
    reference: "RFC 9374",
  },
  { block: "2001:db8::/32", name: "Documentation", reference: "RFC 3849" },
  { block: "2002::/16", name: "6to4", reference: "RFC 3056" },
  { block: "2620:4f:8000::/48", name: "Direct Delegation AS112 Service", reference: "RFC 7534" },
  { block: "3fff::/20", name: "Documentation", reference: "RFC 9637" },
  { block: "4000::/3", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "5f00::/16", name: "Segment Routing (SRv6) SIDs", reference: "RFC 9602" },
  { block: "6000::/3", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "8000::/3", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "a000::/3", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "c000::/3", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "e000::/4", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "f000::/5", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "f800::/6", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "fc00::/7", name: "Unique-Local", reference: "RFC 4193" },
  { block: "fe00::/9", name: "Reserved by IETF", reference: "RFC 4291" },
  { block: "fe80::/10", name: "Link-Local Unicast", reference: "RFC 4291" },
  { block: "fec0::/10", name: "Site-Local Unicast (deprecated)", reference: "RFC 3879" },
  { block: "ff00::/8", name: "Multicast", reference: "RFC 4291" },
];

/** The name of the blocks of {@link RESERVED_BLOCKS} that are not special-purpose. */
export const NOT_ALLOCATED = "Not allocated";

/**
 * The blocks without locations: those that IANA has not allocated to a registry, and the special-purpose ones. Location
 * databases have records for both.
 */
export const RESERVED_BLOCKS: readonly SpecialPurposeBlock[] = [
  ...unallocatedBlocks()
    .filter((block) => SPECIAL_PURPOSE_BLOCKS.every((other) => other.block !== block))
    .map((block) => ({ block, name: NOT_ALLOCATED, reference: ALLOCATED_REFERENCE })),
  ...SPECIAL_PURPOSE_BLOCKS,
];

/** A node of a binary tree over the bits of addresses. */
interface PrefixNode {
  block?: SpecialPurposeBlock;
  readonly children: [PrefixNode | undefined, PrefixNode | undefined];
}

/** The result of {@link findSpecialPurpose}. */
export interface SpecialPurposeResult {
  /** The narrowest block with the address; undefined if there is none. */
  readonly block: SpecialPurposeBlock | undefined;
  /** The length of the shortest prefix of the address whose addresses all have this result. */
  readonly prefixLength: number;
}

const TREES = { 4: prefixTree(4), 6: prefixTree(6) };

/** Finds the block of an address in {@link RESERVED_BLOCKS}. */
export function findSpecialPurpose({ family, bytes }: AddressBytes): SpecialPurposeResult {
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
  for (const entry of RESERVED_BLOCKS) {
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
