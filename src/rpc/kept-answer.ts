/** An answer that a handler gives more than once: what doors make of its message is kept beside it. */
export class KeptAnswer<T> {
  /** Whoever gets it must not change it. */
  readonly message: T;
  /** What doors keep, by who made it: its encoded forms. */
  readonly forms: Map<unknown, unknown> = new Map();

  constructor(message: T) {
    this.message = message;
  }
}
