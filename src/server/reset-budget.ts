/**
 * Streams that a caller may reset at once, and how many more each second: less than nghttp2's 1000 and 33, at which it ends
 * the whole session as an INTERNAL_ERROR, with all its streams (against CVE-2023-44487).
 */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/**
 * Octets of answers that were on their way when their streams were reset. Node counts them against a session's memory for
 * as long as it lives, and with 10 MB refuses all of its streams.
 */
const MAX_LOST_OCTETS = 5_000_000;

/** What the resets of streams may cost one session until it is better to have its caller make a new one. */
export class ResetBudget {
  #resets = MAX_RESETS;
  #lostOctets = 0;
  #refilledAt: number | undefined;

  /** A stream was reset, and so many octets of its answer were never sent. */
  spend(unsentOctets: number): void {
    this.#resets -= 1;
    this.#lostOctets += unsentOctets;
  }

  /** Time has passed; the time is in milliseconds. */
  refill(now: number): void {
    const seconds = (now - (this.#refilledAt ?? now)) / 1000;
    this.#refilledAt = now;
    this.#resets = Math.min(MAX_RESETS, this.#resets + seconds * RESETS_PER_SECOND);
  }

  /** Whether the session should end. */
  get isSpent(): boolean {
    return this.#resets <= 0 || this.#lostOctets >= MAX_LOST_OCTETS;
  }
}
