import { Reader } from "maxmind";
import type { IpAddress } from "../../../src/text/ip-address.js";
import { parseAddress } from "../../../src/text/ip-address.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import type { MmdbReader } from "../../../src/tools/geoip/databases/movable-reader.js";
import { readAsnRecord, readLocation } from "../../../src/tools/geoip/databases/records.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/lookup-ip.js";
import { type MmdbContent, writeMmdb } from "./databases/mmdb-writer.js";

/** Parses an address. Throws an Error if it is invalid. */
export function address(text: string): IpAddress {
  const parsed = parseAddress(text);
  if (!parsed.ok) {
    throw new Error(`${text}: ${parsed.failure.description}`);
  }
  return parsed.value;
}

/** Returns an address as a number. */
export function toNumber({ bytes }: Pick<IpAddress, "bytes">): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** Returns the bytes of a number. */
export function toBytes(number: bigint, bits: number): number[] {
  return Array.from({ length: bits / 8 }, (_, index) =>
    Number((number >> BigInt(bits - 8 - 8 * index)) & 0xffn),
  );
}

/** Returns the first and the last address of a block in CIDR notation, as numbers. */
export function bounds(cidr: string): {
  readonly first: bigint;
  readonly last: bigint;
  readonly bits: number;
} {
  const [text = "", length] = cidr.split("/");
  const start = address(text);
  const bits = start.bytes.length * 8;
  const first = toNumber(start);
  return { first, last: first + (1n << BigInt(bits - Number(length))) - 1n, bits };
}

/** Returns an MMDB file with a record for each block; of version 6 if one of the blocks is IPv6. */
export function mmdbBytes(
  records: MmdbContent["records"],
  content: Partial<Omit<MmdbContent, "records">> = {},
): Buffer {
  return writeMmdb({ records, databaseType: "test", buildEpoch: 1_781_722_800, ...content });
}

/** A record of 400 bytes that {@link replaceRecord} replaces. */
export const REPLACED = "x".repeat(397);

/**
 * Returns the file with other bytes in the place of the record {@link REPLACED}.
 *
 * @param bytesAt returns at most 400 bytes for the position of the record in the data section, from which pointers count
 */
export function replaceRecord(file: Buffer, bytesAt: (offset: number) => Iterable<number>): Buffer {
  const dataStart = new Reader(file).metadata.searchTreeSize + 16;
  const start = file.indexOf(REPLACED) - 3;
  const bytes = Buffer.from([...bytesAt(start - dataStart)]);
  if (start < dataStart || bytes.length > 400) {
    throw new Error("the file has no record to replace, or the bytes are too many");
  }
  const changed = Buffer.from(file);
  changed.set(bytes, start);
  return changed;
}

/**
 * Returns the bytes of arrays, one for each level. An array has `fanOut` pointers to the array of the next level, and the last
 * one to an empty map: `fanOut` ^ `levels` values in (2 + 5 × `fanOut`) × `levels` bytes.
 */
export function sharedArrays(offset: number, fanOut: number, levels: number): Buffer {
  const size = 2 + 5 * fanOut;
  const arrays = Array.from({ length: levels }, (_, level) => {
    const pointer = Buffer.from([0x38, 0, 0, 0, 0]);
    pointer.writeUInt32BE(offset + (level + 1) * size, 1);
    return Buffer.concat([Buffer.from([fanOut, 0x04]), ...Array.from({ length: fanOut }, () => pointer)]);
  });
  return Buffer.concat([...arrays, Buffer.from([0xe0])]);
}

/** Opens such a file. Returns the records unchanged unless there is a `read`. */
export function mmdbReader(records: MmdbContent["records"]): MmdbReader<unknown>;
export function mmdbReader<T>(
  records: MmdbContent["records"],
  read: (record: unknown) => T | undefined,
  cachedRecords?: number,
): MmdbReader<T>;
export function mmdbReader(
  records: MmdbContent["records"],
  read: (record: unknown) => unknown = (record) => record,
  cachedRecords?: number,
): MmdbReader<unknown> {
  const opened = openMmdb(memorySource(mmdbBytes(records)), read, cachedRecords);
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
}

/** Creates databases with one file of version 6 each. */
export function databases(city: MmdbContent["records"], asn: MmdbContent["records"]): GeoIpDatabases {
  const cityReader = mmdbReader(city, readLocation);
  const asnReader = mmdbReader(asn, readAsnRecord);
  return { city: { 4: cityReader, 6: cityReader }, asn: { 4: asnReader, 6: asnReader } };
}
