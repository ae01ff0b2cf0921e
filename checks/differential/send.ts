import { connect } from "node:net";
import { END_STATUS, type End, type Reading, type ReadingServer, type ReadRequest } from "./reading.js";

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
      resolve(readingOf(server.recorder.take(clientPort), received, hasEnded));
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

/** What a server has read, by the requests that its handler has seen, and by what it has sent. */
export function readingOf(recorded: readonly ReadRequest[], received: string, hasEnded: boolean): Reading {
  const statuses = [...received.matchAll(STATUS)].map((match) => Number(match[1])).filter(isFinal);
  const status = statuses.at(-1) ?? 0;
  const isLastRejected = hasEnded && status >= 400;
  // The error before the end may overtake responses: node:http sends it at once.
  const answered = isLastRejected ? statuses.slice(0, -1) : statuses;
  const requests: (ReadRequest | "rejected")[] = [];
  let next = 0;
  for (const each of answered) {
    const request = recorded[next];
    if (each < 400 && request !== undefined) {
      requests.push(request);
      next += 1;
    } else if (each >= 400) {
      requests.push("rejected");
      // The error is about a body that is not complete, or about a request that was not recorded.
      next += request?.isComplete === false ? 1 : 0;
    }
  }
  const rest = recorded.slice(next);
  // A body that the server does not read to its end is not accepted.
  const complete = hasEnded ? rest.filter(({ isComplete }) => isComplete) : rest;
  requests.push(...complete);
  const isRejected = isLastRejected || complete.length < rest.length || (hasEnded && requests.length === 0);
  let end: End = hasEnded ? "closed" : "open";
  if (isRejected) {
    end = "rejected";
  }
  return { requests, end, status };
}

function isFinal(status: number): boolean {
  return status >= 200;
}
