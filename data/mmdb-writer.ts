import {
  encodeMap,
  encodePlain,
  encodeUint16,
  type MmdbValue,
  mmdbDataSection,
} from "./mmdb-data-section.js";
import { type AddressRange, type AddressTree, addressTree, EMPTY, leafValue } from "./mmdb-tree.js";

/** A range of addresses and its record. In a tree of version 6, IPv4 addresses are the numbers below 2^32. */
export type MmdbRange = AddressRange<MmdbValue>;

/** The content of a file. */
export interface MmdbContent {
  /** 4: the tree has only IPv4 addresses. 6: it has IPv6 addresses, and IPv4 addresses as ::/96. */
  readonly ipVersion: 4 | 6;
  /** Sorted by address and not overlapping. */
  readonly ranges: readonly MmdbRange[];
  readonly databaseType: string;
  /** The build date, in seconds since 1970-01-01T00:00:00Z. */
  readonly buildEpoch: number;
  /** By language tag. */
  readonly description?: Readonly<Record<string, string>>;
  /** Bits per record of the tree; by default the smallest sufficient size of 24, 28 and 32. */
  readonly recordSize?: RecordSize;
}

/** The record sizes of the format that readers support. */
export type RecordSize = 24 | 28 | 32;

const RECORD_SIZES: readonly RecordSize[] = [24, 28, 32];
const METADATA_MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from("MaxMind.com")]);
const SEPARATOR = Buffer.alloc(16);

/**
 * Writes a file in the MaxMind DB format 2.0 (https://maxmind.github.io/MaxMind-DB/). The same content gives the same
 * bytes. An IPv6 tree has no aliases of the IPv4 space (::ffff:0:0/96, 2002::/16), so these addresses must be unwrapped
 * before a lookup. Throws a RangeError for invalid ranges and for a file that is too large.
 */
export function writeMmdb(content: MmdbContent): Buffer {
  const dataSection = mmdbDataSection();
  const ranges = content.ranges.map(({ first, last, value }) => ({
    first,
    last,
    value: dataSection.add(value),
  }));
  const data = dataSection.bytes();
  const tree = addressTree(ranges, content.ipVersion === 4 ? 32 : 128);
  const recordSize = content.recordSize ?? smallestRecordSize(tree, data.length);
  return Buffer.concat([
    searchTree(tree, recordSize),
    SEPARATOR,
    data,
    METADATA_MARKER,
    metadata(content, tree.nodeCount, recordSize),
  ]);
}

function smallestRecordSize(tree: AddressTree, dataSize: number): RecordSize {
  const largest = tree.nodeCount + SEPARATOR.length + dataSize;
  const size = RECORD_SIZES.find((bits) => largest < 2 ** bits);
  if (size === undefined) {
    throw new RangeError(`A file with ${tree.nodeCount} nodes and ${dataSize} bytes of data is too large.`);
  }
  return size;
}

/** https://maxmind.github.io/MaxMind-DB/#binary-search-tree-section */
function searchTree({ nodeCount, records }: AddressTree, recordSize: RecordSize): Buffer {
  const nodeSize = recordSize / 4;
  const limit = 2 ** recordSize;
  const bytes = Buffer.alloc(nodeCount * nodeSize);
  const pointer = (record: number): number => {
    if (record >= 0) {
      return record;
    }
    const value = record === EMPTY ? nodeCount : nodeCount + SEPARATOR.length + leafValue(record);
    if (value >= limit) {
      throw new RangeError(`Records of ${recordSize} bits are too small for this file.`);
    }
    return value;
  };
  for (let node = 0; node < nodeCount; node++) {
    const left = pointer(records[2 * node] ?? EMPTY);
    const right = pointer(records[2 * node + 1] ?? EMPTY);
    const offset = node * nodeSize;
    if (recordSize === 28) {
      // The highest four bits of both records share the byte in the middle, those of the left record first.
      bytes.writeUIntBE(left & 0xff_ffff, offset, 3);
      bytes.writeUInt8(((left >>> 24) << 4) | (right >>> 24), offset + 3);
      bytes.writeUIntBE(right & 0xff_ffff, offset + 4, 3);
    } else {
      bytes.writeUIntBE(left, offset, recordSize / 8);
      bytes.writeUIntBE(right, offset + recordSize / 8, recordSize / 8);
    }
  }
  return bytes;
}

/** https://maxmind.github.io/MaxMind-DB/#database-metadata */
function metadata(content: MmdbContent, nodeCount: number, recordSize: RecordSize): Buffer {
  return encodeMap([
    ["binary_format_major_version", encodeUint16(2)],
    ["binary_format_minor_version", encodeUint16(0)],
    ["build_epoch", encodePlain(BigInt(content.buildEpoch))],
    ["database_type", encodePlain(content.databaseType)],
    ["description", encodePlain(content.description ?? {})],
    ["ip_version", encodeUint16(content.ipVersion)],
    ["languages", encodePlain(Object.keys(content.description ?? {}))],
    ["node_count", encodePlain(nodeCount)],
    ["record_size", encodeUint16(recordSize)],
  ]);
}
