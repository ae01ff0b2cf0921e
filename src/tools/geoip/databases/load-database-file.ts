import { closeSync, constants, fstatSync, openSync, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import { type ReadFailure, readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import { fail, ok, type Result } from "../../../failures/result.js";
import type { SharedFile } from "../../tool.js";
import { DamagedData, memorySource, pagedSource } from "./block-source.js";
import type { MmdbFailure } from "./mmdb-reader.js";
import type { MmdbReader } from "./movable-reader.js";
import { openDatabase } from "./open-database.js";

/** An open database file. */
export interface DatabaseFile<T> {
  readonly reader: MmdbReader<T>;
  /** Its length in bytes. */
  readonly size: number;
  /** The memory into which lookups read pages of the file; undefined if all of the file is in memory. */
  readonly pages: () => Buffer | undefined;
  /**
   * Has lookups use other memory, into which the file is copied, and which must not change. They read the pages that they need before. Throws
   * {@link DamagedData} if the file cannot be read, or has changed since it was opened; lookups then go on reading pages.
   */
  readonly load: (memory: Buffer) => Promise<void>;
  /** Returns what another thread can open the file with. Throws an Error if it was not opened with `isShared`. */
  readonly share: () => SharedFile;
}

/**
 * Opens a file as {@link openDatabase} does. Lookups read the pages that they need.
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
  const file = shared ? sharedFile(shared) : openFile(path);
  if (file !== undefined) {
    return openPaged(file, memoryOf(file.size, shared?.memory, isShared), read);
  }
  const problem = await readRegularFile(path, 0);
  return problem.ok || problem.failure.reason === "FILE_TOO_LARGE"
    ? fail("FILE_CHANGED", "was changed while it was opened")
    : problem;
}

/** The system provides memory when it is written. That of a service has space for more in a later file. */
function memoryOf(size: number, shared: SharedArrayBuffer | undefined, isShared: boolean): Buffer {
  if (isShared) {
    return Buffer.from(shared ?? new SharedArrayBuffer(size));
  }
  return Buffer.allocUnsafeSlow(size + (size >>> 3));
}

function openPaged<T>(
  file: OpenFile,
  memory: Buffer,
  read: (record: unknown) => T | undefined,
): Result<DatabaseFile<T>, MmdbFailure> {
  const { fd, size, isOwn } = file;
  const readPage = (bytes: Uint8Array, position: number): void => readInto(fd, bytes, position);
  // Nothing else knows when the last lookup has ended. All sources of the file have the function.
  if (isOwn) {
    unusedFiles.register(readPage, fd, file);
  }
  const opened = openDatabase(pagedSource(readPage, size, memory), read);
  if (!opened.ok) {
    return opened;
  }
  const reader = opened.value;
  let bytes = memory;
  let isLoaded = false;
  return ok({
    reader,
    size,
    pages: () => (isLoaded ? undefined : bytes),
    async load(whole) {
      if (whole !== bytes) {
        reader.move(pagedSource(readPage, size, whole));
        bytes = whole;
      }
      const all = whole.subarray(0, size);
      await readAll(file, all);
      reader.move(memorySource(all));
      if (!isLoaded && isOwn) {
        unusedFiles.unregister(file);
        closeSync(fd);
      }
      isLoaded = true;
    },
    share() {
      if (isLoaded || !(bytes.buffer instanceof SharedArrayBuffer)) {
        throw new Error("only a file that was opened for several threads is shared");
      }
      return { memory: bytes.buffer, fd };
    },
  });
}

interface OpenFile {
  readonly fd: number;
  readonly size: number;
  /** Whether this thread has opened it, and closes it. */
  readonly isOwn: boolean;
  /** Differs from that of the same file if it has changed meanwhile. */
  readonly version: string;
}

/** Closes the files of readers that are gone. */
const unusedFiles = new FinalizationRegistry(closeSync);

/** Returns the file that another thread has opened. */
function sharedFile({ fd, memory }: SharedFile): OpenFile {
  return { fd, size: memory.byteLength, isOwn: false, version: versionOf(fd) };
}

/** Opens a regular file. Returns undefined for any other, and if it cannot be opened. */
function openFile(path: string): OpenFile | undefined {
  try {
    // Without O_NONBLOCK, opening a named pipe blocks.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile()) {
      return { fd, size: stats.size, isOwn: true, version: versionOf(fd) };
    }
    closeSync(fd);
  } catch {
    // readRegularFile has the reason.
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
async function readAll({ fd, version }: OpenFile, memory: Buffer): Promise<void> {
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
