import type { Socket } from "node:net";
import { MAX_DISCARDED } from "./incoming-body.js";

/**
 * The number of sockets that are read in one iteration of the event loop. Node accepts one connection in each, so iterations must
 * be short while many clients send what nobody needs.
 */
const READ_AT_ONCE = 2;

/** The number of bytes after which a socket waits for its turn: fewer cost little. */
const MIN_PAUSED = 16_384;

/** Sockets with discarded input that wait to be read again. */
const waiting = new Set<Socket>();
let isScheduled = false;

/**
 * Reads and discards what a client sends after its last response, until it closes its half or has sent too much. Closing a
 * connection with unread data resets it, and the reset can arrive before the response (RFC 9112, section 9.6).
 */
export function discardInput(socket: Socket): void {
  if (socket.readableEnded) {
    socket.destroySoon();
    return;
  }
  let discarded = 0;
  let sincePause = 0;
  socket.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED) {
      socket.destroy();
      return;
    }
    sincePause += chunk.length;
    if (sincePause >= MIN_PAUSED) {
      sincePause = 0;
      socket.pause();
      waiting.add(socket);
      schedule();
    }
  });
  socket.on("end", () => socket.destroySoon());
  socket.on("close", () => waiting.delete(socket));
  socket.resume();
}

function schedule(): void {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(resumeNext);
  }
}

function resumeNext(): void {
  isScheduled = false;
  let count = 0;
  for (const socket of waiting) {
    if (count === READ_AT_ONCE) {
      schedule();
      return;
    }
    waiting.delete(socket);
    socket.resume();
    count += 1;
  }
}
