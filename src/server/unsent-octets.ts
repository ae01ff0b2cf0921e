import type { Socket } from "node:net";

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
