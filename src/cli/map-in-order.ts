/**
 * What `map` makes of each element of a source, in the order of the source. At most `limit` are under way at once, and no
 * more are read ahead: whoever takes results slowly slows the source down. A result is given as soon as it and all before it
 * are there, even while the source has nothing more yet. Throws what the source or `map` throws.
 */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T>,
  limit: number,
  map: (element: T) => R | Promise<R>,
): AsyncGenerator<R, void> {
  const iterator = source[Symbol.asyncIterator]();
  const underWay: Promise<{ readonly result: R }>[] = [];
  let next: Promise<{ readonly read: IteratorResult<T> }> | undefined;
  let isEnd = false;
  try {
    for (;;) {
      if (!isEnd && next === undefined && underWay.length < limit) {
        next = iterator.next().then((read) => ({ read }));
      }
      const waitedFor = [underWay[0], next].filter((each) => each !== undefined);
      if (waitedFor.length === 0) {
        return;
      }
      const happened = await Promise.race(waitedFor);
      if ("result" in happened) {
        underWay.shift();
        yield happened.result;
        continue;
      }
      next = undefined;
      if (happened.read.done === true) {
        isEnd = true;
      } else {
        underWay.push(started(map, happened.read.value));
      }
    }
  } finally {
    next?.catch(() => {});
    // An iterator that waits for input ends when its input does; nobody waits for that.
    void iterator.return?.()?.catch(() => {});
  }
}

/** A failure is told when it is its turn; until then nobody looks, which must not pass for an oversight. */
function started<T, R>(map: (element: T) => R | Promise<R>, element: T): Promise<{ readonly result: R }> {
  const result = (async () => ({ result: await map(element) }))();
  result.catch(() => {});
  return result;
}
