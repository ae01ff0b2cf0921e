/** Limits how often something may happen: a number of times at once, and then a number of times a second. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(capacity: number, perSecond: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
  }

  /** Takes a token. Returns false if the bucket is empty. */
  take(): boolean {
    this.#tokens -= 1;
    return this.#tokens >= 0 || this.#refill();
  }

  /** Gives back tokens, for example because the client has done something useful. */
  add(tokens: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + tokens);
  }

  /** The clock is read only when no token is left. */
  #refill(): boolean {
    const now = performance.now();
    this.add(((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
    return this.#tokens >= 0;
  }
}
