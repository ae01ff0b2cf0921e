import { closeSync, constants, fstatSync, openSync, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import { type ReadFailure, readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import { ok, type Result } from "../../../failures/result.js";
import type { SharedFile } from "../../tool.js";
import { DamagedData, memorySource, pagedSource } from "./block-source.js";
import { areColumns, MAGIC_LENGTH } from "./columns-parts.js";
import { openColumns } from "./columns-reader.js";
import type { MmdbFailure, MmdbReader } from "./mmdb-reader.js";
import { openDatabase } from "./open-database.js";

/** An open database file. */
export interface DatabaseFile<T> {
  readonly reader: MmdbReader<T>;
  /** Its length in bytes. */
  readonly size: number;
  /** The memory of a database in columns, as long as lookups read pages of the file into it; undefined if all of the file is in memory. */
  readonly pages: () => Buffer | undefined;
  /**
   * Copies the file into memory, which lookups in columns use from then on, and which must not change. Throws {@link DamagedData} if the file
   * cannot be read, or has changed since it was opened; lookups then read its pages as before.
   */
  readonly load: (memory: Buffer) => Promise<void>;
  /** Returns what another thread can open the file with. */
  readonly share: () => SharedFile;
}

/**
 * Opens a file as {@link openDatabase} does. Of a database in columns, lookups read the pages that they need; an MMDB file is read at once.
 *
 * @param shared is what `share` has returned for the file; undefined: none
 * @param isShared whether `share` will be called
 */
export async function openDatabaseFile<T>(
  path: string,
  read: (record: unknown) => T | undefined,
  shared?: SharedFile,
  isShared = shared !== undefined,
): Promise<Result<DatabaseFile<T>, ReadFailure | MmdbFailure>> {
  const columns = shared ? sharedColumns(shared) : openColumnsFile(path);
  if (columns !== undefined) {
    return openColumnsIn(columns, memoryOf(columns.size, shared?.memory, isShared), read);
  }
  const bytes = shared ? ok(Buffer.from(shared.memory)) : await readRegularFile(path);
  return bytes.ok ? openInMemory(bytes.value, read) : bytes;
}

/** The system provides memory when it is written. That of a service has space for more in a later file. */
function memoryOf(size: number, shared: SharedArrayBuffer | undefined, isShared: boolean): Buffer {
  if (isShared) {
    return Buffer.from(shared ?? new SharedArrayBuffer(size));
  }
  return Buffer.allocUnsafeSlow(size + (size >>> 3));
}

function openInMemory<T>(
  bytes: Buffer,
  read: (record: unknown) => T | undefined,
): Result<DatabaseFile<T>, MmdbFailure> {
  const opened = openDatabase(bytes, read);
  const load = async (memory: Buffer): Promise<void> => void memory.set(bytes);
  return opened.ok
    ? ok({
        reader: opened.value,
        size: bytes.length,
        pages: () => undefined,
        load,
        share: () => ({ memory: sharedMemory(bytes), fd: undefined }),
      })
    : opened;
}

function openColumnsIn<T>(
  file: ColumnsFile,
  memory: Buffer,
  read: (record: unknown) => T | undefined,
): Result<DatabaseFile<T>, MmdbFailure> {
  const { fd, size, isOwn } = file;
  const source = pagedSource((bytes, position) => readInto(fd, bytes, position), size, memory);
  // Nothing else knows when the last lookup has ended. All readers have the function.
  if (isOwn) {
    unusedFiles.register(source.at, fd, file);
  }
  const opened = openColumns(source, read);
  if (!opened.ok) {
    return opened;
  }
  const reader = opened.value;
  let pages: Buffer | undefined = memory;
  let bytes = memory;
  return ok({
    reader,
    size,
    pages: () => pages,
    async load(whole) {
      const all = whole.subarray(0, size);
      await readAll(file, all);
      bytes = all;
      reader.move(memorySource(all));
      if (pages !== undefined && isOwn) {
        unusedFiles.unregister(file);
        closeSync(fd);
      }
      pages = undefined;
    },
    share: () => ({ memory: sharedMemory(pages ?? bytes), fd: pages && fd }),
  });
}

/** Returns the memory of bytes if threads can share it, and otherwise a copy. */
function sharedMemory(bytes: Buffer): SharedArrayBuffer {
  if (bytes.buffer instanceof SharedArrayBuffer) {
    return bytes.buffer;
  }
  const shared = new SharedArrayBuffer(bytes.length);
  Buffer.from(shared).set(bytes);
  return shared;
}

interface ColumnsFile {
  readonly fd: number;
  readonly size: number;
  /** Whether this thread has opened it, and closes it. */
  readonly isOwn: boolean;
  /** Differs from that of the same file if it has changed meanwhile. */
  readonly version: string;
}

/** Closes the files of readers that are gone. */
const unusedFiles = new FinalizationRegistry(closeSync);

/** Returns the file that another thread has opened, if lookups read parts of it. */
function sharedColumns({ fd, memory }: SharedFile): ColumnsFile | undefined {
  return fd === undefined ? undefined : { fd, size: memory.byteLength, isOwn: false, version: versionOf(fd) };
}

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
        const file = { fd, size: stats.size, isOwn: true, version: versionOf(fd) };
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

/** Without the time of the last status change, because that is also the time at which another file has replaced it. */
function versionOf(fd: number): string {
  const { size, mtimeNs } = fstatSync(fd, { bigint: true });
  return `${size}:${mtimeNs}`;
}

/** Reads bytes of a file. Throws {@link DamagedData} if that fails, or if the file ends before. */
export function readInto(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const read = readSome(fd, bytes, done, position + done);
    if (read === 0) {
      throw new DamagedData("it is truncated");
    }
    done += read;
  }
}

function readSome(fd: number, bytes: Uint8Array, start: number, position: number): number {
  try {
    return readSync(fd, bytes, start, bytes.length - start, position);
  } catch (error) {
    throw new DamagedData("it cannot be read", { cause: error });
  }
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
