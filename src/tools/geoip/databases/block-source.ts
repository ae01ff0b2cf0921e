import { readSync } from "node:fs";

/** The bytes of a database: in memory, or in a file of which only parts are read. */
export interface BlockSource {
  /** The length of the database in bytes. */
  readonly size: number;
  /** The bytes of the database, as far as they are available, in at least as many bytes. */
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly view: DataView;
  /**
   * Makes bytes of the database available. Returns their position. The caller has checked that they are within the database. Throws
   * {@link DamagedData} if they cannot be read.
   */
  readonly at: (offset: number, length: number) => number;
}

/** Thrown for a database that cannot be read, or is damaged. The message continues a sentence, and has nothing of the content. */
export class DamagedData extends Error {}

/** Returns bytes in memory, which must not change as long as they are used. They can be shared by threads. */
export function memorySource(bytes: Buffer): BlockSource {
  return { size: bytes.length, bytes, view: viewOf(bytes), at: (offset) => offset };
}

/** The bytes that are read at once. */
const PAGE = 16_384;

/**
 * Returns the bytes of an open file. Each page is read when it is needed first, into `memory`, which has at least as many bytes as the file. Several
 * threads can use the same memory: they read the same pages into it.
 */
export function pagedSource(fd: number, size: number, memory: Buffer): BlockSource {
  const isRead = new Uint8Array(Math.ceil(size / PAGE));
  return {
    size,
    bytes: memory,
    view: viewOf(memory),
    at(offset, length) {
      const end = offset + length;
      for (let page = Math.floor(offset / PAGE); page * PAGE < end; page++) {
        if (isRead[page] === 0) {
          readInto(fd, memory.subarray(page * PAGE, Math.min(size, (page + 1) * PAGE)), page * PAGE);
          isRead[page] = 1;
        }
      }
      return offset;
    },
  };
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

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
