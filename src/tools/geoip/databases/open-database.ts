import type { Result } from "../../../failures/result.js";
import { bytesOf, COLUMNS_MAGIC, openColumns } from "./columns-reader.js";
import { type MmdbFailure, type MmdbReader, openMmdb } from "./mmdb-reader.js";

/** Opens an MMDB file or a database in columns; the content decides, not the name. */
export function openDatabase<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
): Result<MmdbReader<T>, MmdbFailure> {
  const isColumns = bytes.toString("latin1", 0, COLUMNS_MAGIC.length) === COLUMNS_MAGIC;
  return isColumns ? openColumns(bytesOf(bytes), read) : openMmdb(bytes, read);
}
