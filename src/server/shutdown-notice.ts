import { writeSync } from "node:fs";
import type { Socket } from "node:net";
import { unsentOctets } from "./unsent-octets.js";

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
