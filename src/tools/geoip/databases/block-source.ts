import { readSync } from "node:fs";

/** The bytes of a database: in memory, or in a file of which only parts are read. */
export interface BlockSource {
  /** The length of the database in bytes. */
  readonly size: number;
  /** Whether each call of `at` may read the file. */
  readonly isFile: boolean;
  /** Has the bytes that `at` has made available last, and perhaps others. */
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly view: DataView;
  /**
   * Makes bytes of the database available until the next call. Returns their position in `bytes`. The caller has checked that they are within
   * the database. Throws {@link DamagedData} if they cannot be read.
   */
  readonly at: (offset: number, length: number) => number;
}

/** Thrown for a database that cannot be read, or is damaged. The message continues a sentence, and has nothing of the content. */
export class DamagedData extends Error {}

/** Returns bytes in memory, which must not change as long as they are used. They can be shared by threads. */
export function memorySource(bytes: Buffer): BlockSource {
  return { size: bytes.length, isFile: false, bytes, view: viewOf(bytes), at: (offset) => offset };
}

/** Files have pages of this size or a multiple of it. */
const PAGE = 4_096;
/** The most bytes that are needed at once: all rows of an index. The system provides memory when it is written. */
const WINDOW = 1024 * PAGE;

/** Returns the bytes of an open file. The pages that were read last stay in memory. */
export function fileSource(fd: number, size: number): BlockSource {
  const bytes = Buffer.alloc(WINDOW);
  let start = 0;
  let end = 0;
  return {
    size,
    isFile: true,
    bytes,
    view: viewOf(bytes),
    at(offset, length) {
      if (offset < start || offset + length > end) {
        start = offset - (offset % PAGE);
        end = start;
        const needed = Math.min(size, Math.ceil((offset + length) / PAGE) * PAGE) - start;
        if (needed > WINDOW) {
          throw new DamagedData("a part of it is too long");
        }
        readInto(fd, bytes.subarray(0, needed), start);
        end += needed;
      }
      return offset - start;
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
