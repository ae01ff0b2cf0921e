/** The share of the available bytes from which they are scarce. */
const SCARCE = 3 / 4;

/** The share of the limit that the fixed cost of connections may take. */
const MAX_RESERVED = 1 / 2;

/** The time in milliseconds from which longer does not count as more: old connections that hold little stay. */
const MAX_AGE = 30_000;

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
 * Limits the bytes that all connections of a server hold: a fixed number for each, and what their requests and responses hold
 * beyond that. When the limit is exceeded, the connections that have held the most for the longest are closed.
 */
export class ByteBudget {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #holdings = new Map<ByteHolder, Holding>();
  #reserved = 0;
  #held = 0;

  /** `now` returns the time in milliseconds, from any origin. */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  get used(): number {
    return this.#reserved + this.#held;
  }

  /**
   * Reserves the fixed cost of a connection in bytes. Returns false, and reserves nothing, if that would leave too little for
   * requests, unless `isForced`.
   */
  reserve(bytes: number, isForced = false): boolean {
    if (!isForced && this.#reserved + bytes > MAX_RESERVED * this.#limit) {
      return false;
    }
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /**
   * Whether bytes are scarce and a connection holds at least its share of them: its next requests should wait. Connections that
   * hold little are not affected.
   */
  isOverdrawn(holder: ByteHolder): boolean {
    if (this.#held < SCARCE * (this.#limit - this.#reserved)) {
      return false;
    }
    return (this.#holdings.get(holder)?.bytes ?? 0) >= this.#held / this.#holdings.size;
  }

  /**
   * Sets the number of bytes that a connection holds beyond its fixed cost. May close any connection, including this one.
   */
  set(holder: ByteHolder, bytes: number): void {
    const holding = this.#holdings.get(holder);
    const difference = bytes - (holding?.bytes ?? 0);
    this.#held += difference;
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
    while (this.used > this.#limit) {
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
      const weight = bytes * (Math.min(now - since, MAX_AGE) + 1);
      if (weight > most) {
        most = weight;
        largest = holder;
      }
    }
    return largest;
  }
}
