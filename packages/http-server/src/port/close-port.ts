import { createServer, type Server } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { SOCKET_OPTIONS } from "./shared-port.js";

/** Maximum time for which the port stays open for connections that wait to be accepted, in milliseconds. */
const MAX_ACCEPTING = 5_000;
/** Maximum duration of the turn after which the port is closed, in milliseconds: until then, another client can connect. */
const SHORT_TURN = 0.5;
/** How much longer that turn may be for each millisecond that has passed: on a busy machine, all turns are long. */
const PATIENCE = 0.005;
/** The shortest queue of connections that wait to be accepted. Node takes 0 for its default. */
const SHORTEST_BACKLOG = 1;

/**
 * Closes the port once no connection waits to be accepted. Closing it resets those that wait, whose clients may have sent requests that
 * cannot be retried. So the queue is made as short as possible first: from then on the system accepts few connections, and clients whose
 * connection it refuses have not sent anything. Node accepts one connection per turn of the event loop.
 *
 * @returns a promise of when all connections are closed, once the port is
 */
export async function closePort(server: Server): Promise<{ readonly closed: Promise<unknown> }> {
  const start = performance.now();
  let acceptedAt = Number.NEGATIVE_INFINITY;
  // A second call of listen(2) replaces the length of the queue.
  const last = createServer(SOCKET_OPTIONS, (socket) => {
    acceptedAt = performance.now();
    server.emit("connection", socket);
  });
  last.on("error", () => {});
  last.listen(server, SHORTEST_BACKLOG);
  // In this turn, the event loop may have polled for connections already.
  await turn();
  for (let isOver = false; !isOver; ) {
    const began = performance.now();
    await turn();
    const now = performance.now();
    const isShort = now - began < SHORT_TURN + (now - start) * PATIENCE;
    isOver = (acceptedAt < began && isShort) || now - start >= MAX_ACCEPTING;
  }
  return {
    closed: Promise.all(
      [last, server].map((each) => new Promise<void>((resolve) => each.close(() => resolve()))),
    ),
  };
}
