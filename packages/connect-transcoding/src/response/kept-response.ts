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

  /** The form that `maker` stands for, made when it is first asked for; one maker makes one kind of form. */
  form<F extends object>(maker: unknown, make: (message: T) => F): F {
    // What is there was put there for the same maker.
    const known = this.forms.get(maker) as F | undefined;
    if (known !== undefined) {
      return known;
    }
    const made = make(this.message);
    this.forms.set(maker, made);
    return made;
  }
}

/** The message of an answer, whether it is given once or more often. */
export function messageOf<T>(answer: T | KeptAnswer<T>): T {
  return answer instanceof KeptAnswer ? answer.message : answer;
}
