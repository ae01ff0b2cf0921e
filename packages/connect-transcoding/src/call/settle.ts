/**
 * Runs a function that may be asynchronous, and continues synchronously if it is not. `fail` is called with exceptions of
 * `run` and `succeed`; it must not throw.
 */
export function settle<T>(
  run: () => T | Promise<T>,
  succeed: (value: T) => void | Promise<void>,
  fail: (thrown: unknown) => void,
): void {
  try {
    const value = run();
    const done = value instanceof Promise ? value.then(succeed) : succeed(value);
    if (done instanceof Promise) {
      done.catch(fail);
    }
  } catch (thrown) {
    fail(thrown);
  }
}
