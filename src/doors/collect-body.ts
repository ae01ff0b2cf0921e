import type { Readable } from "node:stream";
import type { BodyOutcome } from "./exchange.js";

/** Octets of a refused body that are still read. */
export const MAX_DRAINED = 1024 * 1024;

/** How much of a body is taken, and what its kind of request knows of it. */
export interface BodyLimits {
  /** The longest body, in octets. */
  readonly limit: number;
  /** What the request says of its body's length, if it does. */
  readonly announced: string | undefined;
  /** Whether a body that has ended was broken off. */
  isBroken(): boolean;
  /** Ends a request that goes on beyond {@link MAX_DRAINED}. */
  cut(): void;
}

/**
 * Reads a body, and calls back once: at its end, or as soon as it is known to be too long; what follows is read and dropped.
 */
export function collectBody(
  source: Readable,
  { limit, announced, isBroken, cut }: BodyLimits,
  done: (outcome: BodyOutcome) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (!isDone) {
      isDone = true;
      done(outcome);
    }
  };
  source.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (!isDone && length <= limit) {
      chunks.push(chunk);
    } else if (length <= MAX_DRAINED) {
      finish("too large");
    } else {
      cut();
    }
  });
  source.on("end", () => {
    if (!isBroken()) {
      finish(joinChunks(chunks));
    }
  });
  if (Number(announced) > limit) {
    finish("too large");
  }
}

function joinChunks(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
