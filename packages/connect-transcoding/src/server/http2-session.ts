import { writeSync } from "node:fs";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/**
 * Makes what tells whether nghttp2 neither reads nor writes any more on the connection of a session. It has sent a GOAWAY
 * with a connection error then, after which the connection must be closed (RFC 9113, section 5.4.1). Of most such errors Node
 * tells nobody; it stops to read, so that it does not even notice when the caller closes the connection.
 *
 * Node itself asks nghttp2 when a session is closed, and has no public way to ask. Where this one is missing the answer is
 * always false, and such connections are left to the time-outs.
 */
export function sessionEnd(session: ServerHttp2Session): () => boolean {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === "kHandle");
  return () => {
    // There is no handle any more once the session is destroyed.
    const handle: unknown = key === undefined ? undefined : Reflect.get(session, key);
    return isAskable(handle) && !handle.hasPendingData();
  };
}

function isAskable(handle: unknown): handle is { hasPendingData(): boolean } {
  return (
    typeof handle === "object" &&
    handle !== null &&
    "hasPendingData" in handle &&
    typeof handle.hasPendingData === "function"
  );
}

/** GOAWAY (RFC 9113, section 6.8) without an error, for whose sender every stream there can be is one it may still take. */
const NOTICE = Buffer.from("0000080700000000007fffffff00000000", "hex");

/**
 * Tells the caller on an HTTP/2 connection to send no more requests over it, while those that are on their way are still
 * taken: the first of the two GOAWAYs of a graceful shutdown. nghttp2 can send it, but Node has no way to ask for it, and a
 * `goaway()` with the same number makes nghttp2 ignore all new streams. So it is written here, between two frames: Node's
 * sessions write whole frames, and those that were written before are with the system when nothing waits.
 *
 * Must not be used before the session has sent its SETTINGS, nor where TLS is spoken. Whether it was sent: not when the caller
 * is not reading, or where sockets have no file descriptor; such callers find out by the second GOAWAY.
 */
export function sendShutdownNotice(socket: Socket): boolean {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  const fd = typeof handle === "object" && handle !== null && "fd" in handle ? Number(handle.fd) : -1;
  if (fd < 0 || socket.destroyed || unsentOctets(socket) > 0) {
    return false;
  }
  try {
    // The stream's own write would have the session take the end of it for the end of one of its own.
    if (writeSync(fd, NOTICE) < NOTICE.length) {
      socket.destroy();
    }
    return true;
  } catch {
    // The caller does not read (EAGAIN), or has gone.
    return false;
  }
}

/**
 * Streams that a caller may reset at once, and how many more each second: less than nghttp2's 1000 and 33, at which it ends
 * the whole session as an INTERNAL_ERROR, with all its streams (against CVE-2023-44487).
 */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/**
 * Octets of answers that were on their way when their streams were reset. Node counts them against a session's memory for
 * as long as it lives, and with 10 MB refuses all of its streams.
 */
const MAX_LOST_OCTETS = 5_000_000;

/** What the resets of streams may cost one session until it is better to have its caller make a new one. */
export class ResetBudget {
  #resets = MAX_RESETS;
  #lostOctets = 0;
  #refilledAt: number | undefined;

  /** A stream was reset, and so many octets of its answer were never sent. */
  spend(unsentOctets: number): void {
    this.#resets -= 1;
    this.#lostOctets += unsentOctets;
  }

  /** Time has passed; the time is in milliseconds. */
  refill(now: number): void {
    const seconds = (now - (this.#refilledAt ?? now)) / 1000;
    this.#refilledAt = now;
    this.#resets = Math.min(MAX_RESETS, this.#resets + seconds * RESETS_PER_SECOND);
  }

  /** Whether the session should end. */
  get isSpent(): boolean {
    return this.#resets <= 0 || this.#lostOctets >= MAX_LOST_OCTETS;
  }
}

/**
 * How many octets were written to a connection that its system has not taken yet: more than none for long means that the
 * other end does not read. What the socket itself tells changes only once a whole write is done.
 */
export function unsentOctets(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  return typeof handle === "object" && handle !== null && "writeQueueSize" in handle
    ? Number(handle.writeQueueSize)
    : 0;
}

/** What each header counts beside its octets. */
const OVERHEAD = 32;

/**
 * The size of a header list in octets, as `SETTINGS_MAX_HEADER_LIST_SIZE` counts it (RFC 9113, section 6.5.2). `rawHeaders`
 * are names and values as they came, in turn, a character an octet.
 */
export function headerListSize(rawHeaders: readonly string[]): number {
  let size = (rawHeaders.length / 2) * OVERHEAD;
  for (const text of rawHeaders) {
    size += text.length;
  }
  return size;
}
