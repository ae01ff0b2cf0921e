import { connect } from "node:net";
import { readFrames } from "./http2-frames.js";
import type { BytesRequest, ProtocolResponse } from "./request.js";

/** Idle time after which we close our half of an HTTP/2 connection, in milliseconds. */
const IDLE_TIMEOUT = 40;

/** Time after which we close an HTTP/2 connection that the server leaves open, in milliseconds. */
const CLOSE_AFTER = 60;

/**
 * Writes bytes on a new connection, closes our half, and resolves to everything received until the connection ends. The
 * server may keep the connection of a failed HTTP/2 session until its next sweep: such an end is `abandoned`, and the
 * run checks later that the server has closed the connection.
 */
export function sendBytes(
  port: number,
  { http, pieces }: BytesRequest,
  timeout: number,
): Promise<ProtocolResponse> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let isLate = false;
    let isAbandoned = false;
    let idleTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, timeout);
    const endSoon = (): void => {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => {
        socket.end();
        idleTimer = setTimeout(() => {
          isAbandoned = true;
          socket.destroy();
        }, CLOSE_AFTER);
      }, IDLE_TIMEOUT);
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
      clearTimeout(idleTimer);
      const end = isLate ? "late" : isAbandoned ? "abandoned" : "closed";
      resolve({ status: 0, headers: new Map(), body: Buffer.concat(chunks), end });
    });
    pieces.forEach((piece, index) => {
      // In separate turns, so that the server reads them separately.
      setTimeout(() => socket.writable && socket.write(piece), index);
    });
    if (http === 2) {
      setTimeout(endSoon, pieces.length);
    } else {
      setTimeout(() => socket.writable && socket.end(), pieces.length);
    }
  });
}

/** Returns the status of each response on an HTTP/1.1 connection. */
export function statusesIn(bytes: Buffer): number[] {
  return [...bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Returns what was received on an HTTP/2 connection. */
export function notesIn(bytes: Buffer): readonly string[] {
  return readFrames(bytes).notes;
}
