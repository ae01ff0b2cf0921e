import { ipAddress, networkOf, readAddress } from "../../text/ip-address.js";

/** The date of the registry that {@link ALLOCATED_BLOCKS} is from: that of its newest block. */
export const ALLOCATED_EDITION = "2024-11-01";

/** The document that says which blocks are allocated. */
export const ALLOCATED_REFERENCE = "IANA IPv6 Global Unicast Address Assignments";

/**
 * The blocks of IPv6 addresses that IANA has allocated to a regional internet registry, with the name of the registry
 * (https://www.iana.org/assignments/ipv6-unicast-address-assignments), {@link ALLOCATED_EDITION}. Every few years there is
 * another block; a test fails if the installed ASN file has networks in a block that is missing here.
 */
export const ALLOCATED_BLOCKS: readonly (readonly [block: string, registry: string])[] = [
  ["2001:200::/23", "APNIC"],
  ["2001:400::/23", "ARIN"],
  ["2001:600::/23", "RIPE NCC"],
  ["2001:800::/22", "RIPE NCC"],
  ["2001:c00::/23", "APNIC"],
  ["2001:e00::/23", "APNIC"],
  ["2001:1200::/23", "LACNIC"],
  ["2001:1400::/22", "RIPE NCC"],
  ["2001:1800::/23", "ARIN"],
  ["2001:1a00::/23", "RIPE NCC"],
  ["2001:1c00::/22", "RIPE NCC"],
  ["2001:2000::/19", "RIPE NCC"],
  ["2001:4000::/23", "RIPE NCC"],
  ["2001:4200::/23", "AFRINIC"],
  ["2001:4400::/23", "APNIC"],
  ["2001:4600::/23", "RIPE NCC"],
  ["2001:4800::/23", "ARIN"],
  ["2001:4a00::/23", "RIPE NCC"],
  ["2001:4c00::/23", "RIPE NCC"],
  ["2001:5000::/20", "RIPE NCC"],
  ["2001:8000::/19", "APNIC"],
  ["2001:a000::/20", "APNIC"],
  ["2001:b000::/20", "APNIC"],
  ["2003::/18", "RIPE NCC"],
  ["2400::/12", "APNIC"],
  ["2410::/12", "APNIC"],
  ["2600::/12", "ARIN"],
  ["2610::/23", "ARIN"],
  ["2620::/23", "ARIN"],
  ["2630::/12", "ARIN"],
  ["2800::/12", "LACNIC"],
  ["2a00::/12", "RIPE NCC"],
  ["2a10::/12", "RIPE NCC"],
  ["2c00::/12", "AFRINIC"],
];

/** A block by the first 32 bits of its addresses, and its prefix length. */
interface Block {
  readonly start: number;
  readonly length: number;
}

/** Returns the largest blocks of 2000::/3, the only space that is allocated from, without an allocated address. */
export function unallocatedBlocks(): string[] {
  const allocated = ALLOCATED_BLOCKS.map(([block]) => parseBlock(block));
  return [...gapsIn({ start: 0x2000_0000, length: 3 }, allocated)].map(blockText);
}

/** Returns the largest parts of a space outside the blocks. */
function* gapsIn({ start, length }: Block, blocks: readonly Block[]): Iterable<Block> {
  const end = start + 2 ** (32 - length);
  const inside = blocks.filter((block) => block.start >= start && block.start < end);
  if (inside.length === 0) {
    yield { start, length };
  } else if (inside.every((block) => block.length > length)) {
    yield* gapsIn({ start, length: length + 1 }, inside);
    yield* gapsIn({ start: (start + end) / 2, length: length + 1 }, inside);
  }
}

function parseBlock(block: string): Block {
  const [text = "", length] = block.split("/");
  const [a = 0, b = 0, c = 0, d = 0] = readAddress(text)?.bytes ?? [];
  return { start: ((a * 256 + b) * 256 + c) * 256 + d, length: Number(length) };
}

function blockText({ start, length }: Block): string {
  const bytes = Array.from({ length: 16 }, (_, index) => Math.floor(start / 256 ** (3 - index)) & 0xff);
  return networkOf(ipAddress(bytes), length);
}
