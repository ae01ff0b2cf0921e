import type { Socket } from "node:net";

/** The bytes that a client must read within `requestTimeout`; fewer are no progress. */
export const MIN_PROGRESS = 1024;

/** Milliseconds without data after which a client has stopped sending: that of a closed connection, or of any at shutdown. */
export const QUIET_TIME = 500;

/**
 * Measures for how long a client has sent nothing, and read nothing. It compares counters at each check, because a timer for
 * every request would cost more than the rest; a timeout takes effect up to one interval of the checks late.
 */
export class ClientWatch {
  #received = -1;
  #receivedAt = 0;
  #accepted = -MIN_PROGRESS;
  #acceptedAt = 0;

  /** Compares the counters of a connection. `now` is in milliseconds. */
  check({ bytesRead, bytesWritten, writableLength }: Socket, now: number): void {
    if (bytesRead !== this.#received) {
      this.#received = bytesRead;
      this.#receivedAt = now;
    }
    // What the operating system has accepted: both counters change only when a write is complete.
    const accepted = bytesWritten - writableLength;
    if (writableLength === 0 || accepted - this.#accepted >= MIN_PROGRESS) {
      this.#accepted = accepted;
      this.#acceptedAt = now;
    }
  }

  /** Whether the client has sent nothing for some milliseconds. */
  isQuiet(now: number, time = QUIET_TIME): boolean {
    return now - this.#receivedAt >= time;
  }

  /** Whether the operating system has accepted next to no output for some milliseconds, because the client does not read. */
  isStuck(now: number, timeout: number): boolean {
    return now - this.#acceptedAt >= timeout;
  }
}
