/** The bytes that a request without its response counts for, besides its body. */
export const OPEN_REQUEST_BYTES = 4096;

/** The share of the limit from which bytes are scarce. */
const SCARCE = 3 / 4;

/** A connection that holds bytes in memory. */
export interface ByteHolder {
  /** Closes the connection, which releases all of its bytes. */
  evict(): void;
}

interface Holding {
  bytes: number;
  /** When the connection began to hold bytes, in milliseconds. */
  since: number;
}

/**
 * Limits the bytes that all connections of a server hold: requests without a response, what their handlers report, and
 * responses that their clients do not read. Beyond the limit, the connections that have held the most for the longest are closed.
 */
export class ByteBudget {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #holdings = new Map<ByteHolder, Holding>();
  #used = 0;

  /**
   * @param limit in bytes
   * @param now returns the time in milliseconds, from any origin
   */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** The bytes that are held. */
  get used(): number {
    return this.#used;
  }

  /**
   * Whether bytes are scarce and a connection holds at least its share of them: its next requests should wait. Connections that
   * hold little are not affected.
   */
  isOverdrawn(holder: ByteHolder): boolean {
    if (this.#used < SCARCE * this.#limit) {
      return false;
    }
    return (this.#holdings.get(holder)?.bytes ?? 0) >= this.#used / this.#holdings.size;
  }

  /** Sets the number of bytes that a connection holds. May close any connection, including this one. */
  set(holder: ByteHolder, bytes: number): void {
    const holding = this.#holdings.get(holder);
    const difference = bytes - (holding?.bytes ?? 0);
    this.#used += difference;
    if (bytes === 0) {
      this.#holdings.delete(holder);
    } else if (holding === undefined) {
      this.#holdings.set(holder, { bytes, since: this.#now() });
    } else {
      holding.bytes = bytes;
    }
    if (difference > 0) {
      this.#enforce();
    }
  }

  #enforce(): void {
    while (this.#used > this.#limit) {
      const largest = this.#largest();
      if (largest === undefined) {
        return;
      }
      this.set(largest, 0);
      largest.evict();
    }
  }

  /** The connection with the largest product of bytes and time. */
  #largest(): ByteHolder | undefined {
    const now = this.#now();
    let largest: ByteHolder | undefined;
    let most = -1;
    for (const [holder, { bytes, since }] of this.#holdings) {
      const weight = bytes * (now - since + 1);
      if (weight > most) {
        most = weight;
        largest = holder;
      }
    }
    return largest;
  }
}
