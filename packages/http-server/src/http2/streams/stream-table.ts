/**
 * The open streams of a connection, in the order of their IDs. A `Map` would be simpler, but its tables, once V8 has moved one
 * to the old generation, keep the streams that they held alive until a full collection.
 */
export class StreamTable<T extends { readonly id: number }> {
  readonly #streams: T[] = [];

  get(id: number): T | undefined {
    const stream = this.#streams[this.#positionOf(id)];
    return stream?.id === id ? stream : undefined;
  }

  /** Adds a stream that the table does not have. */
  add(stream: T): void {
    this.#streams.splice(this.#positionOf(stream.id), 0, stream);
  }

  /** Removes a stream. Returns whether the table had it. */
  delete(id: number): boolean {
    const position = this.#positionOf(id);
    const hasStream = this.#streams[position]?.id === id;
    if (hasStream) {
      this.#streams.splice(position, 1);
    }
    return hasStream;
  }

  /** All streams, as of the call. */
  values(): T[] {
    return [...this.#streams];
  }

  /** The number of streams with a lower ID. */
  #positionOf(id: number): number {
    const streams = this.#streams;
    let low = 0;
    let high = streams.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((streams[middle] as T).id < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
