import { closeSync, constants, fstatSync, openSync, read as readCallback } from "node:fs";
import { promisify } from "node:util";
import { type ReadFailure, readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import { ok, type Result } from "../../../failures/result.js";
import { DamagedData, fileSource, memorySource, readInto } from "./block-source.js";
import { areColumns, MAGIC_LENGTH } from "./columns-parts.js";
import { type ColumnsReader, openColumns } from "./columns-reader.js";
import type { MmdbFailure, MmdbReader } from "./mmdb-reader.js";
import { openDatabase } from "./open-database.js";

/** An open database file. */
export interface DatabaseFile<T> {
  readonly reader: MmdbReader<T>;
  /** Its length in bytes. */
  readonly size: number;
  /** Whether lookups read parts of the file, of which the rest is not in memory. */
  readonly isReadInParts: () => boolean;
  /**
   * Copies the file into memory of its size, which lookups in columns use from then on, and which must not change. Throws {@link DamagedData} if
   * the file cannot be read, or has changed since it was opened; lookups then read it as before.
   */
  readonly load: (memory: Buffer) => Promise<void>;
}

/**
 * Opens a file as {@link openDatabase} does. Of a database in columns, lookups read the parts that they need until it is loaded; an MMDB file is
 * loaded at once.
 */
export async function openDatabaseFile<T>(
  path: string,
  read: (record: unknown) => T | undefined,
): Promise<Result<DatabaseFile<T>, ReadFailure | MmdbFailure>> {
  const columns = openColumnsFile(path);
  if (columns !== undefined) {
    const source = fileSource(columns.fd, columns.size);
    // Nothing else knows when the last lookup has ended. All readers have the function.
    unusedFiles.register(source.at, columns.fd, columns);
    const opened = openColumns(source, read);
    return opened.ok ? ok(inParts(opened.value, columns)) : opened;
  }
  const bytes = await readRegularFile(path);
  return bytes.ok ? openInMemory(bytes.value, read) : bytes;
}

/** Opens bytes in memory as {@link openDatabase} does. */
export function openInMemory<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
): Result<DatabaseFile<T>, MmdbFailure> {
  const opened = openDatabase(bytes, read);
  return opened.ok
    ? ok({
        reader: opened.value,
        size: bytes.length,
        isReadInParts: () => false,
        load: async (memory) => void memory.set(bytes),
      })
    : opened;
}

interface ColumnsFile {
  readonly fd: number;
  readonly size: number;
  /** Differs from that of the same file if it has changed meanwhile. */
  readonly version: string;
}

/** Closes the files of readers that are gone. */
const unusedFiles = new FinalizationRegistry(closeSync);

/** Opens a file with a database in columns. Returns undefined for any other file, and if it cannot be opened. */
function openColumnsFile(path: string): ColumnsFile | undefined {
  let fd: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe blocks.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    const start = Buffer.alloc(MAGIC_LENGTH);
    if (stats.isFile() && stats.size >= MAGIC_LENGTH) {
      readInto(fd, start, 0);
      if (areColumns(start)) {
        const file = { fd, size: stats.size, version: versionOf(fd) };
        fd = undefined;
        return file;
      }
    }
  } catch {
    // readRegularFile has the reason.
  } finally {
    if (fd !== undefined) {
      closeSync(fd);
    }
  }
  return undefined;
}

function versionOf(fd: number): string {
  const { size, mtimeNs, ctimeNs } = fstatSync(fd, { bigint: true });
  return `${size}:${mtimeNs}:${ctimeNs}`;
}

function inParts<T>(reader: ColumnsReader<T>, file: ColumnsFile): DatabaseFile<T> {
  let isReadInParts = true;
  return {
    reader,
    size: file.size,
    isReadInParts: () => isReadInParts,
    async load(memory) {
      await readAll(file, memory);
      reader.move(memorySource(memory));
      if (isReadInParts) {
        isReadInParts = false;
        unusedFiles.unregister(file);
        closeSync(file.fd);
      }
    },
  };
}

/** The bytes that are read at once. */
const CHUNK = 1_048_576;

const readFrom = promisify(readCallback);

/** Reads a whole file, while other work goes on. */
async function readAll({ fd, version }: ColumnsFile, memory: Buffer): Promise<void> {
  try {
    for (let position = 0; position < memory.length; ) {
      const length = Math.min(CHUNK, memory.length - position);
      const { bytesRead } = await readFrom(fd, memory, position, length, position);
      if (bytesRead === 0) {
        throw new DamagedData("it is truncated");
      }
      position += bytesRead;
    }
  } catch (error) {
    throw error instanceof DamagedData ? error : new DamagedData("it cannot be read", { cause: error });
  }
  if (versionOf(fd) !== version) {
    throw new DamagedData("it was changed while it was read");
  }
}
