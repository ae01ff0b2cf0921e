/**
 * Maps the elements of a source and yields the results in the order of the source. At most `limit` calls of `map` run at once,
 * and the source is not read further ahead, so that a slow consumer slows down the source. A result is yielded as soon as it
 * and all results before it are ready, even while the source is waiting for input. Throws what the source or `map` throws.
 */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T>,
  limit: number,
  map: (element: T) => R | Promise<R>,
): AsyncGenerator<R, void> {
  const iterator = source[Symbol.asyncIterator]();
  const running: Promise<{ readonly result: R }>[] = [];
  let next: Promise<{ readonly read: IteratorResult<T> }> | undefined;
  let isEnd = false;
  try {
    for (;;) {
      if (!isEnd && next === undefined && running.length < limit) {
        next = iterator.next().then((read) => ({ read }));
      }
      const pending = [running[0], next].filter((each) => each !== undefined);
      if (pending.length === 0) {
        return;
      }
      const settled = await Promise.race(pending);
      if ("result" in settled) {
        running.shift();
        yield settled.result;
        continue;
      }
      next = undefined;
      if (settled.read.done === true) {
        isEnd = true;
      } else {
        running.push(start(map, settled.read.value));
      }
    }
  } finally {
    next?.catch(() => {});
    // An iterator that waits for input returns only after its input has ended, so its return is not awaited.
    void iterator.return?.()?.catch(() => {});
  }
}

function start<T, R>(map: (element: T) => R | Promise<R>, element: T): Promise<{ readonly result: R }> {
  const result = (async () => ({ result: await map(element) }))();
  // A failure is thrown when its turn comes. Until then it must not count as an unhandled rejection.
  result.catch(() => {});
  return result;
}
