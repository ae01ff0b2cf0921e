/** A signal that ends with the first of several, and lets go of them. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Lets go of the others: one of them may live as long as the client. */
  unlink(): void;
}

/** Makes one signal of several. `AbortSignal.any` keeps what it made of a signal for as long as that lives. */
export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const given = signals.filter((signal) => signal !== undefined);
  function abort(this: AbortSignal): void {
    controller.abort(this.reason);
    unlink();
  }
  function unlink(): void {
    for (const signal of given) {
      signal.removeEventListener("abort", abort);
    }
  }
  for (const signal of given) {
    signal.addEventListener("abort", abort);
  }
  const over = given.find(({ aborted }) => aborted);
  if (over !== undefined) {
    abort.call(over);
  }
  return { signal: controller.signal, unlink };
}
