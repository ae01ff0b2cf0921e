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
 * Returns the bytes of an open file, which `read` reads. Each page is read when it is needed first, into `memory`, which has at least as many bytes as the file. Several
 * threads can use the same memory: they read the same pages into it.
 */
export function pagedSource(
  read: (bytes: Uint8Array, position: number) => void,
  size: number,
  memory: Buffer,
): BlockSource {
  const isRead = new Uint8Array(Math.ceil(size / PAGE));
  return {
    size,
    bytes: memory,
    view: viewOf(memory),
    at(offset, length) {
      const end = offset + length;
      for (let page = Math.floor(offset / PAGE); page * PAGE < end; page++) {
        if (isRead[page] === 0) {
          read(memory.subarray(page * PAGE, Math.min(size, (page + 1) * PAGE)), page * PAGE);
          isRead[page] = 1;
        }
      }
      return offset;
    },
  };
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
