import type { Socket } from "node:net";

/** How long to linger, in milliseconds. */
export interface LingerTimes {
  /** How long nothing comes of a caller who has stopped writing. */
  readonly quiet: number;
  /** How long it is waited for that at the most. */
  readonly longest: number;
}

const USUAL: LingerTimes = { quiet: 500, longest: 5_000 };

/**
 * Ends a connection whose caller may still be writing, so that it gets what was written to it: reads on, and drops what
 * comes, until the caller has closed its half or stopped writing. A system that closes a connection with something unread
 * resets it, and the reset may overtake the answer (RFC 9112, section 9.6).
 */
export function endLingering(socket: Socket, { quiet, longest }: LingerTimes = USUAL): void {
  if (socket.destroyed || socket.writableEnded) {
    return;
  }
  socket.resume().end();
  const startedAt = performance.now();
  let octets = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead === octets || performance.now() - startedAt >= longest) {
      socket.destroy();
    }
    octets = socket.bytesRead;
  }, quiet);
  socket.once("end", () => socket.destroySoon());
  socket.once("close", () => clearInterval(timer));
}
