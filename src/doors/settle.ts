/**
 * Runs what may or may not be asynchronous, and tells of its outcome without a promise where none is needed. What
 * `succeed` throws goes to `fail`; `fail` must not throw.
 */
export function settle<T>(
  run: () => T | Promise<T>,
  succeed: (value: T) => void,
  fail: (thrown: unknown) => void,
): void {
  try {
    const value = run();
    if (value instanceof Promise) {
      value.then(succeed).catch(fail);
    } else {
      succeed(value);
    }
  } catch (thrown) {
    fail(thrown);
  }
}
