import type { Result } from "../../../failures/result.js";
import { memorySource } from "./block-source.js";
import { areColumns } from "./columns-parts.js";
import { openColumns } from "./columns-reader.js";
import { type MmdbFailure, type MmdbReader, openMmdb } from "./mmdb-reader.js";

/** Opens an MMDB file or a database in columns; the content decides, not the name. Uses the bytes in place, so they must not change. */
export function openDatabase<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
): Result<MmdbReader<T>, MmdbFailure> {
  return areColumns(bytes) ? openColumns(memorySource(bytes), read) : openMmdb(bytes, read);
}
