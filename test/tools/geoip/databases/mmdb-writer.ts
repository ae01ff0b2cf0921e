import { parseAddress } from "../../../../src/text/ip-address.js";

/** The content of a record. An integer from 0 to 2^32-1 is written as `uint32`, a bigint as `uint64`, and any other number as a double. */
export type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue };

/** The content of a file. */
export interface MmdbContent {
  /** The records by block in CIDR notation; the blocks do not overlap. */
  readonly records: Readonly<Record<string, MmdbValue>>;
  readonly databaseType: string;
  /** The build date, in seconds since 1970-01-01T00:00:00Z. */
  readonly buildEpoch: number;
  /** By language tag. */
  readonly description?: Readonly<Record<string, string>>;
  /** Bits per record of the tree. */
  readonly recordSize?: 24 | 28 | 32 | undefined;
}

/** Type numbers of https://maxmind.github.io/MaxMind-DB/#data-field-format. */
const Type = {
  string: 2,
  double: 3,
  uint16: 5,
  uint32: 6,
  map: 7,
  uint64: 9,
  array: 11,
  boolean: 14,
} as const;

/** A child of a node: the number of a node, `EMPTY`, or -2 minus the offset of a record in the data section. */
type Child = number;
const EMPTY: Child = -1;

/**
 * Writes a file in the MaxMind DB format 2.0 (https://maxmind.github.io/MaxMind-DB/): of version 6 if one of the blocks is
 * IPv6. Equal records are stored once. Networks are not combined.
 */
export function writeMmdb({ records, recordSize = 24, ...content }: MmdbContent): Buffer {
  const ipVersion = Object.keys(records).some((block) => block.includes(":")) ? 6 : 4;
  const nodes: [Child, Child][] = [[EMPTY, EMPTY]];
  const offsets = new Map<string, number>();
  let data = Buffer.alloc(0);
  for (const [block, value] of Object.entries(records)) {
    const key = encodeValue(value).toString("latin1");
    const offset = offsets.get(key) ?? data.length;
    if (!offsets.has(key)) {
      offsets.set(key, offset);
      data = Buffer.concat([data, encodeValue(value)]);
    }
    insert(nodes, pathOf(block, ipVersion), -2 - offset);
  }
  const numberOf = (child: Child) =>
    child >= 0 ? child : child === EMPTY ? nodes.length : nodes.length + 16 + (-2 - child);
  return Buffer.concat([
    ...nodes.map(([left, right]) => encodeNode(numberOf(left), numberOf(right), recordSize)),
    Buffer.alloc(16),
    data,
    Buffer.from("abcdef4d61784d696e642e636f6d", "hex"),
    encodeMap([
      ["binary_format_major_version", encodeUint16(2)],
      ["binary_format_minor_version", encodeUint16(0)],
      ["build_epoch", unsigned(Type.uint64, content.buildEpoch)],
      ["database_type", encodeValue(content.databaseType)],
      ["description", encodeValue(content.description ?? {})],
      ["ip_version", encodeUint16(ipVersion)],
      ["node_count", encodeValue(nodes.length)],
      ["record_size", encodeUint16(recordSize)],
    ]),
  ]);
}

/** Returns the bits of the block's prefix as digits. In a tree of version 6, IPv4 addresses are below 96 zeros. */
function pathOf(block: string, ipVersion: 4 | 6): string {
  const [text = "", length] = block.split("/");
  const parsed = parseAddress(text);
  if (!parsed.ok) {
    throw new Error(`${block}: ${parsed.failure.description}`);
  }
  const { bytes, family } = parsed.value;
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return "0".repeat(ipVersion - family === 2 ? 96 : 0) + bits.slice(0, Number(length));
}

function insert(nodes: [Child, Child][], path: string, child: Child): void {
  if (path === "") {
    nodes[0] = [child, child];
    return;
  }
  let node = nodes[0];
  for (const digit of path.slice(0, -1)) {
    const side = digit === "1" ? 1 : 0;
    if (node?.[side] === EMPTY) {
      node[side] = nodes.push([EMPTY, EMPTY]) - 1;
    }
    node = nodes[node?.[side] ?? EMPTY];
  }
  node?.splice(path.endsWith("1") ? 1 : 0, 1, child);
}

/** https://maxmind.github.io/MaxMind-DB/#node-layout */
function encodeNode(left: number, right: number, recordSize: 24 | 28 | 32): Buffer {
  const digits = recordSize / 4;
  const [first, second] = [left, right].map((child) => child.toString(16).padStart(digits, "0"));
  // With 28 bits, the highest four bits of both records share the byte in the middle.
  const hex = recordSize === 28 ? `${first?.slice(1)}${first?.[0]}${second}` : `${first}${second}`;
  return Buffer.from(hex, "hex");
}

/** Encodes a value without pointers. */
export function encodeValue(value: MmdbValue): Buffer {
  switch (typeof value) {
    case "string":
      return field(Type.string, Buffer.from(value));
    case "bigint":
      return unsigned(Type.uint64, value);
    case "boolean":
      return control(Type.boolean, value ? 1 : 0);
    case "object":
      if (isArray(value)) {
        return Buffer.concat([control(Type.array, value.length), ...value.map(encodeValue)]);
      }
      return encodeMap(Object.entries(value).map(([key, member]) => [key, encodeValue(member)]));
    default: {
      if (Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff) {
        return unsigned(Type.uint32, value);
      }
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(value);
      return field(Type.double, bytes);
    }
  }
}

// Array.isArray does not remove readonly arrays from the union.
function isArray(value: MmdbValue): value is readonly MmdbValue[] {
  return Array.isArray(value);
}

/** Encodes a map of encoded values. */
export function encodeMap(entries: readonly (readonly [key: string, value: Buffer])[]): Buffer {
  return Buffer.concat([
    control(Type.map, entries.length),
    ...entries.flatMap(([key, member]) => [encodeValue(key), member]),
  ]);
}

/** Encodes a `uint16`, the required type of some metadata fields. */
export function encodeUint16(value: number): Buffer {
  return unsigned(Type.uint16, value);
}

/** Encodes an unsigned integer without leading zeros. */
function unsigned(type: number, value: number | bigint): Buffer {
  const hex = value === 0 || value === 0n ? "" : value.toString(16);
  return field(type, Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex"));
}

function field(type: number, bytes: Buffer): Buffer {
  return Buffer.concat([control(type, bytes.length), bytes]);
}

/** The control byte, the extended type and the size: https://maxmind.github.io/MaxMind-DB/#payload-size. */
function control(type: number, size: number): Buffer {
  const [short, rest] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 0xff]];
  return Buffer.from([((type > 7 ? 0 : type) << 5) | short, ...(type > 7 ? [type - 7] : []), ...rest]);
}
