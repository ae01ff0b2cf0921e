import type { Writable } from "node:stream";

/**
 * Writes a response in chunks, no faster than the client reads it, and ends it. Stops when the client disconnects.
 *
 * @param beforeEnd called after the last chunk, for example to set the trailers; not if the client has disconnected
 */
export async function writeChunks(
  target: Writable,
  chunks: AsyncIterable<string | Uint8Array>,
  beforeEnd?: () => void,
): Promise<void> {
  for await (const chunk of chunks) {
    if (target.destroyed || target.writableEnded) {
      return;
    }
    if (!target.write(chunk)) {
      await drained(target);
    }
  }
  if (target.destroyed || target.writableEnded) {
    return;
  }
  beforeEnd?.();
  target.end();
}

/** Resolves when the client has read what was written, or has disconnected. */
function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      target.off("drain", settle);
      target.off("close", settle);
      resolve();
    };
    target.on("drain", settle);
    target.on("close", settle);
  });
}

/** Ends at once. */
export async function* nothing(): AsyncIterable<never> {}

/** Yields a first result and then the rest of its iteration. */
export async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
