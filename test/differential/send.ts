import { connect } from "node:net";
import { END_STATUS, type End, type Reading, type ReadingServer } from "./reading.js";

const STATUS = /HTTP\/1\.[01] (\d{3})/g;
const LAST_STATUS = `HTTP/1.1 ${END_STATUS}`;

/**
 * Sends bytes on a new connection and resolves to what the server has read: once the final request has its response, the server
 * has closed the connection, or nothing has happened for `quietTime` milliseconds.
 *
 * @param pieces the bytes of each write; the event loop runs in between
 */
export function readBy(
  server: ReadingServer,
  pieces: readonly Buffer[],
  quietTime: number,
): Promise<Reading> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
    let clientPort = 0;
    let received = "";
    let isDone = false;
    let hasEnded = false;
    const finish = (): void => {
      if (isDone) {
        return;
      }
      isDone = true;
      clearTimeout(timer);
      // A reset leaves no port in TIME_WAIT.
      socket.resetAndDestroy();
      resolve(conclude(server, clientPort, received, hasEnded));
    };
    const onEnd = (): void => {
      hasEnded = true;
      finish();
    };
    // After a pause of this process, data may wait that the timer has not seen.
    const timer = setTimeout(() => setImmediate(() => setImmediate(finish)), quietTime);
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      timer.refresh();
      if (received.includes(LAST_STATUS)) {
        finish();
      }
    });
    socket.on("error", onEnd).on("close", onEnd).on("end", onEnd);
    socket.on("connect", () => {
      clientPort = socket.localPort ?? 0;
      server.recorder.begin(clientPort);
      writeFrom(0);
    });
    function writeFrom(index: number): void {
      const piece = pieces[index];
      if (piece !== undefined && !isDone) {
        socket.write(piece);
        timer.refresh();
        setImmediate(() => writeFrom(index + 1));
      }
    }
  });
}

function conclude(
  { recorder }: ReadingServer,
  clientPort: number,
  received: string,
  hasEnded: boolean,
): Reading {
  const recorded = recorder.take(clientPort);
  // A request whose body was rejected is not accepted.
  const requests = hasEnded ? recorded.filter(({ isComplete }) => isComplete) : [...recorded];
  const statuses = [...received.matchAll(STATUS)].map((match) => Number(match[1]));
  const status = statuses.at(-1) ?? 0;
  const isRejected =
    status >= 400 || (hasEnded && (recorded.length === 0 || requests.length < recorded.length));
  let end: End = hasEnded ? "closed" : "open";
  if (isRejected) {
    end = "rejected";
  }
  return { requests: isRejected ? requests.filter(({ isComplete }) => isComplete) : requests, end, status };
}
