import { connect } from "node:net";
import { readFrames } from "./http2-frames.js";
import type { DoorAnswer, OctetsRequest } from "./request.js";

/** Milliseconds that HTTP/2 may be silent for before we close our half of the connection. */
const SILENCE = 40;

/** Milliseconds after which we close a connection of HTTP/2 altogether that the server leaves open. */
const FAREWELL = 60;

/**
 * Writes octets on a connection of their own, closes its half, and resolves to all that came back until its end. A session
 * of HTTP/2 that breaks off may leave its connection open until somebody sweeps: such a one is `abandoned`, and whether the
 * server ever lets go of it has to be looked at later.
 */
export function sendOctets(
  port: number,
  { http, pieces }: OctetsRequest,
  patience: number,
): Promise<DoorAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let isLate = false;
    let isAbandoned = false;
    let silence: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, patience);
    const endSoon = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        socket.end();
        silence = setTimeout(() => {
          isAbandoned = true;
          socket.destroy();
        }, FAREWELL);
      }, SILENCE);
    };
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (http === 2) {
        endSoon();
      }
    });
    socket.on("close", () => {
      clearTimeout(timer);
      clearTimeout(silence);
      const end = isLate ? "late" : isAbandoned ? "abandoned" : "closed";
      resolve({ status: 0, headers: new Map(), body: Buffer.concat(chunks), end });
    });
    pieces.forEach((piece, index) => {
      // In a turn of its own, so that it is read by itself.
      setTimeout(() => socket.writable && socket.write(piece), index);
    });
    if (http === 2) {
      setTimeout(endSoon, pieces.length);
    } else {
      setTimeout(() => socket.writable && socket.end(), pieces.length);
    }
  });
}

/** What came back on a connection of HTTP/1.1, as the statuses of all its answers. */
export function statusesIn(octets: Buffer): number[] {
  return [...octets.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** What came back on one of HTTP/2. */
export function notesIn(octets: Buffer): readonly string[] {
  return readFrames(octets).notes;
}
