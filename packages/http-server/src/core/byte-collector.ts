/** The maximum room for bytes that may follow. */
const MAX_ROOM = 16 * 1024;

/**
 * Collects bytes in few buffers. A buffer for each part would take a hundred times the memory of its bytes if a client sends
 * each byte in a separate frame.
 */
export class ByteCollector {
  length = 0;
  /** The number of bytes of memory. */
  capacity = 0;
  #full: Buffer[] = [];
  #last: Buffer | undefined;
  /** The number of bytes in the last buffer. */
  #used = 0;

  /** Adds a copy of the bytes. */
  add(part: Uint8Array): void {
    let rest = part;
    const last = this.#last;
    if (last !== undefined) {
      const room = last.length - this.#used;
      last.set(room < part.length ? part.subarray(0, room) : part, this.#used);
      this.#used += Math.min(room, part.length);
      rest = part.subarray(room);
      if (rest.length > 0) {
        this.#full.push(last);
      }
    }
    if (rest.length > 0) {
      // The spare space doubles with the bytes: none for a body of one part, and few buffers for one of many small parts.
      // A buffer of Node's pool would retain all of the pool.
      this.#last = Buffer.allocUnsafeSlow(Math.max(rest.length, Math.min(this.length, MAX_ROOM)));
      this.#last.set(rest);
      this.#used = rest.length;
      this.capacity += this.#last.length;
    }
    this.length += part.length;
  }

  take(): Buffer {
    const last = this.#last?.subarray(0, this.#used) ?? Buffer.alloc(0);
    const bytes = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last]);
    this.length = 0;
    this.capacity = 0;
    this.#full = [];
    this.#last = undefined;
    this.#used = 0;
    return bytes;
  }
}
