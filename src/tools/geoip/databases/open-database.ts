import { fail, type Result } from "../../../failures/result.js";
import type { BlockSource } from "./block-source.js";
import { areColumns, MAGIC_LENGTH } from "./columns/columns-parts.js";
import { openColumns } from "./columns/columns-reader.js";
import { type MmdbFailure, openMmdb } from "./mmdb-reader.js";
import { damageOf, type MmdbReader } from "./movable-reader.js";

/** Opens an MMDB file or a database in columns; the content decides, not the name. Fails as `openMmdb` and `openColumns` do. */
export function openDatabase<T>(
  source: BlockSource,
  read: (record: unknown) => T | undefined,
): Result<MmdbReader<T>, MmdbFailure> {
  try {
    const length = Math.min(MAGIC_LENGTH, source.size);
    const at = source.at(0, length);
    const open = areColumns(source.bytes.subarray(at, at + length)) ? openColumns : openMmdb;
    return open(source, read);
  } catch (error) {
    return fail("CORRUPT_MMDB", `is damaged: ${damageOf(error)}`);
  }
}
