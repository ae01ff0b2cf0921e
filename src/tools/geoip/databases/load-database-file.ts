import { readSync } from "node:fs";
import { constants, type FileHandle, open } from "node:fs/promises";
import { fingerprintOf } from "connect-transcoding-operations/files/data-files";
import { type ReadFailure, readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import { fail, ok, type Result } from "../../../failures/result.js";
import { COLUMNS_MAGIC, type ColumnsReader, type FileBytes, openColumns } from "./columns-reader.js";
import type { MmdbFailure, MmdbReader } from "./mmdb-reader.js";
import { openDatabase } from "./open-database.js";

/**
 * Opens a file as {@link openDatabase} does. A database in columns is read column by column, into the memory of `inUse` if that is one: its
 * readers then have the new content.
 */
export async function loadDatabaseFile<T>(
  path: string,
  read: (record: unknown) => T | undefined,
  inUse?: MmdbReader<T>,
): Promise<Result<MmdbReader<T>, ReadFailure | MmdbFailure>> {
  // Failures have their reason from readRegularFile. Without O_NONBLOCK, opening a named pipe blocks.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  try {
    const columns = file && (await columnsIn(file));
    if (columns !== undefined) {
      const before = await fingerprintOf([path]);
      const opened = await openOrReplace(columns, read, inUse);
      const isSame = before === (await fingerprintOf([path]));
      return isSame ? opened : fail("FILE_CHANGED", "was changed while it was read");
    }
  } finally {
    await file?.close();
  }
  const bytes = await readRegularFile(path);
  return bytes.ok ? openDatabase(bytes.value, read) : bytes;
}

async function openOrReplace<T>(
  columns: FileBytes,
  read: (record: unknown) => T | undefined,
  inUse: MmdbReader<T> | ColumnsReader<T> | undefined,
): Promise<Result<MmdbReader<T>, MmdbFailure>> {
  if (inUse === undefined || !("replace" in inUse)) {
    return openColumns(columns, read);
  }
  const failure = await inUse.replace(columns);
  return failure === undefined ? ok(inUse) : { ok: false, failure };
}

/** Returns the bytes of a database in columns; undefined for other files. */
async function columnsIn(file: FileHandle): Promise<FileBytes | undefined> {
  const stats = await file.stat();
  let buffer = Buffer.alloc(0);
  const read = (position: number, length: number): Buffer => {
    buffer = buffer.length < length ? Buffer.allocUnsafeSlow(length) : buffer;
    return buffer.subarray(0, readSync(file.fd, buffer, 0, length, position));
  };
  const isColumns = stats.isFile() && read(0, COLUMNS_MAGIC.length).toString("latin1") === COLUMNS_MAGIC;
  return isColumns ? { length: stats.size, read } : undefined;
}
