/** Something with the ID of a stream. */
interface Identified {
  readonly id: number;
}

const MIN_SLOTS = 8;
const MAX_SLOTS = 512;

/**
 * The open streams of a connection by their IDs: an array that is indexed by the last bits of the ID. A `Map` would be
 * simpler, but its tables, once V8 has moved one to the old generation, keep the streams that they held alive until a full
 * collection.
 */
export class StreamTable<T extends Identified> {
  #slots: (T | undefined)[] = new Array(MIN_SLOTS).fill(undefined);
  /** Streams whose slot is in use by a stream that stays open for long. */
  #overflow: Map<number, T> | undefined;
  #size = 0;

  /** The number of streams. */
  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    const stream = this.#slots[this.#slotOf(id)];
    if (stream !== undefined && stream.id === id) {
      return stream;
    }
    return this.#overflow?.get(id);
  }

  /** Adds a stream that the table does not have. */
  add(stream: T): void {
    this.#size += 1;
    while (this.#slots[this.#slotOf(stream.id)] !== undefined) {
      if (this.#slots.length === MAX_SLOTS) {
        this.#overflow ??= new Map();
        this.#overflow.set(stream.id, stream);
        return;
      }
      this.#grow();
    }
    this.#slots[this.#slotOf(stream.id)] = stream;
  }

  /** Removes a stream. Returns whether the table had it. */
  delete(id: number): boolean {
    const slot = this.#slotOf(id);
    if (this.#slots[slot]?.id === id) {
      this.#slots[slot] = undefined;
    } else if (this.#overflow?.delete(id) !== true) {
      return false;
    }
    this.#size -= 1;
    return true;
  }

  /** All streams, as of the call. */
  values(): T[] {
    return [...this.#slots.filter((stream) => stream !== undefined), ...(this.#overflow?.values() ?? [])];
  }

  #slotOf(id: number): number {
    // Clients use odd IDs.
    return (id >>> 1) & (this.#slots.length - 1);
  }

  /** Doubles the slots. Streams with different slots keep different slots. */
  #grow(): void {
    const streams = this.#slots;
    this.#slots = new Array(streams.length * 2).fill(undefined);
    for (const stream of streams) {
      if (stream !== undefined) {
        this.#slots[this.#slotOf(stream.id)] = stream;
      }
    }
  }
}
