/**
 * Runs what may or may not be asynchronous, and tells of its outcome without a promise where none is needed. What
 * `succeed` throws, or its promise is rejected with, goes to `fail`; `fail` must not throw.
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
