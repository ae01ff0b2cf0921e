/**
 * An answer that a handler gives more than once. What doors make of its message is kept beside it, so that it is
 * written and compressed once; nobody may change the message.
 */
export class KeptAnswer<T> {
  readonly message: T;
  /** What doors keep, by who made it: the encoded forms of the message. */
  readonly forms: Map<unknown, unknown> = new Map();

  constructor(message: T) {
    this.message = message;
  }
}
