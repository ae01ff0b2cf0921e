import type { Writable } from "node:stream";

/**
 * Writes an answer that comes in pieces, no faster than the caller takes them, and ends it. Stops asking for more once
 * the caller has gone, and says whether all was written.
 */
export async function writeStream(target: Writable, pieces: AsyncIterable<string>): Promise<boolean> {
  for await (const piece of pieces) {
    if (target.destroyed || target.writableEnded) {
      return false;
    }
    if (!target.write(piece)) {
      await drained(target);
    }
  }
  target.end();
  return true;
}

/** Resolves when a caller has taken what was written, or has gone; leaves no listener behind. */
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
