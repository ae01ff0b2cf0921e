import { open } from "node:fs/promises";
import { areColumns, MAGIC_LENGTH, parseHeader } from "./columns/columns-parts.js";
import { METADATA_MAX_SIZE, readBuildDate } from "./mmdb-reader.js";

/** More than the header of a database in columns has, in bytes. */
const HEADER_MAX_SIZE = 64 * 1024;

/** Returns the build date of a database from its first or last bytes; undefined if it has none that can be read. */
export async function buildDateOf(path: string): Promise<Date | undefined> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const read = async (start: number, length: number): Promise<Buffer> => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, start));
        return buffer.subarray(0, bytesRead);
      };
      const head = await read(0, HEADER_MAX_SIZE);
      const date = areColumns(head)
        ? columnsBuildDate(head)
        : readBuildDate(await read(size - METADATA_MAX_SIZE, METADATA_MAX_SIZE));
      return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function columnsBuildDate(head: Buffer): Date {
  const start = MAGIC_LENGTH + 4;
  return new Date(parseHeader(head.toString("utf8", start, start + head.readUInt32LE(start - 4))).builtAt);
}
