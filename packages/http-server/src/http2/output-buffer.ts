/** Writes the bytes of an {@link OutputBuffer} to its connection. */
export interface OutputOwner {
  /** Writes {@link OutputBuffer.take} to the socket. */
  flush(): void;
}

const SIZE = 64 * 1024;

/**
 * Collects output, so that all responses to one chunk of input are sent in one write. The connections of a server share one
 * buffer: only one of them handles its input at a time, and separate buffers would cost memory for each idle connection.
 */
export class OutputBuffer {
  /** The buffer to write to, at `end`, after a call of `reserve`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(SIZE);
  /** The position after the last byte. */
  end = 0;
  #start = 0;
  #owner: OutputOwner | undefined;

  /** Makes room for `length` bytes of a connection's output at `end`. Flushes the output of another connection. */
  reserve(owner: OutputOwner, length: number): void {
    if (this.#owner !== owner) {
      this.#owner?.flush();
      this.#owner = owner;
    }
    if (this.end + length > this.bytes.length) {
      owner.flush();
      // The socket may still read the previous buffer.
      this.bytes = Buffer.allocUnsafeSlow(Math.max(SIZE, length));
      this.#start = 0;
      this.end = 0;
      this.#owner = owner;
    }
  }

  /** Removes and returns the output of a connection; undefined without output. */
  take(owner: OutputOwner): Buffer | undefined {
    if (this.#owner !== owner) {
      return undefined;
    }
    this.#owner = undefined;
    const output = this.end > this.#start ? this.bytes.subarray(this.#start, this.end) : undefined;
    this.#start = this.end;
    return output;
  }
}
