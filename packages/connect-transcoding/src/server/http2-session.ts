import { writeSync } from "node:fs";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/**
 * Returns a function that checks whether nghttp2 has stopped to read and write on the connection of a session. It has then
 * sent a GOAWAY with a connection error, after which the connection must be closed (RFC 9113, section 5.4.1). Node reports
 * few of these errors, and stops reading, so that it does not notice either when the client closes the connection.
 *
 * Node has no public function for this. Where the private one is missing, the result is always false, and timeouts close such
 * connections.
 */
export function sessionEnd(session: ServerHttp2Session): () => boolean {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === "kHandle");
  return () => {
    // A destroyed session has no handle.
    const handle: unknown = key === undefined ? undefined : Reflect.get(session, key);
    return isSessionHandle(handle) && !handle.hasPendingData();
  };
}

function isSessionHandle(handle: unknown): handle is { hasPendingData(): boolean } {
  return (
    typeof handle === "object" &&
    handle !== null &&
    "hasPendingData" in handle &&
    typeof handle.hasPendingData === "function"
  );
}

/** A GOAWAY frame without an error, with the highest stream ID there is (RFC 9113, section 6.8). */
const NOTICE = Buffer.from("0000080700000000007fffffff00000000", "hex");

/**
 * Sends the first of the two GOAWAYs of a graceful shutdown over an HTTP/2 connection: the client sends no more requests on
 * it, and those in transit are still served. nghttp2 can send it, but Node cannot, and `goaway()` with the same ID makes nghttp2
 * ignore all new streams. So the frame is written here, between two frames of Node: sessions write whole frames, and the
 * operating system has all earlier ones when no data waits.
 *
 * Must not be used before the session has sent its SETTINGS, nor with TLS. Returns false if the frame was not sent, because the
 * client does not read or the socket has no file descriptor; such clients receive the second GOAWAY only.
 */
export function sendShutdownNotice(socket: Socket): boolean {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  const fd = typeof handle === "object" && handle !== null && "fd" in handle ? Number(handle.fd) : -1;
  if (fd < 0 || socket.destroyed || unsentBytes(socket) > 0) {
    return false;
  }
  try {
    // With a write of the stream, the session would take the end of this frame for the end of its own write.
    if (writeSync(fd, NOTICE) < NOTICE.length) {
      socket.destroy();
    }
    return true;
  } catch {
    // The client does not read (EAGAIN), or has disconnected.
    return false;
  }
}

/**
 * The number of streams that a client may reset at once, and each second after that: less than the 1000 and 33 at which
 * nghttp2 ends the session and all its streams as an INTERNAL_ERROR (against CVE-2023-44487).
 */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/**
 * The limit of response bytes that were unsent when their streams were reset. Node counts them against the memory of the
 * session forever, and rejects all its streams after 10 MB.
 */
const MAX_UNSENT_BYTES = 5_000_000;

/** Counts the reset streams of a session, which is replaced by a new one before Node or nghttp2 ends it. */
export class ResetBudget {
  #resets = MAX_RESETS;
  #unsentBytes = 0;
  #refilledAt: number | undefined;

  /** Called when a stream is reset, with the number of unsent bytes of its response. */
  spend(unsentBytes: number): void {
    this.#resets -= 1;
    this.#unsentBytes += unsentBytes;
  }

  /** Adds the resets that are allowed since the latest call. `now` is in milliseconds. */
  refill(now: number): void {
    const seconds = (now - (this.#refilledAt ?? now)) / 1000;
    this.#refilledAt = now;
    this.#resets = Math.min(MAX_RESETS, this.#resets + seconds * RESETS_PER_SECOND);
  }

  /** Whether the session should end. */
  get isSpent(): boolean {
    return this.#resets <= 0 || this.#unsentBytes >= MAX_UNSENT_BYTES;
  }
}

/**
 * The number of bytes written to a connection that the operating system has not accepted yet. If it stays above zero, the
 * client does not read. The counters of the socket change only when a whole write is complete.
 */
export function unsentBytes(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  return typeof handle === "object" && handle !== null && "writeQueueSize" in handle
    ? Number(handle.writeQueueSize)
    : 0;
}

/** The overhead of each header in bytes. */
const OVERHEAD = 32;

/**
 * The size of a header list in bytes, as `SETTINGS_MAX_HEADER_LIST_SIZE` defines it (RFC 9113, section 6.5.2). `rawHeaders`
 * has names and values in turn, with one character per byte.
 */
export function headerListSize(rawHeaders: readonly string[]): number {
  let size = (rawHeaders.length / 2) * OVERHEAD;
  for (const text of rawHeaders) {
    size += text.length;
  }
  return size;
}
