import { connect } from "node:net";

/** A request as a server has read it. One character of its texts is one byte. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as received. */
  readonly headers: readonly string[];
  /** The host of the request as the server has read it; empty without one. */
  readonly host: string;
  /** The parts of the body so far. */
  readonly body: Buffer[];
  /** Whether the whole body has been received. */
  isComplete: boolean;
}

/** What a server has read on one connection. */
export interface Reading {
  /** In order; "rejected" for one that got an error, after which the server has read on. */
  readonly requests: readonly (ReadRequest | "rejected")[];
  /**
   * How the connection ended: it is still open and the server waits for more bytes or the next request, the server closed it after its
   * last response, or it rejected what follows the requests that it has read.
   */
  readonly end: "open" | "closed" | "rejected";
  /** The status of the last response; 0 without one. */
  readonly status: number;
}

/** What servers have read, by the port of the client. Requests of unknown clients are ignored. */
export type Recorder = Map<number, ReadRequest[]>;

/** A server whose readings are recorded. */
export interface ReadingServer {
  readonly port: number;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** The host of an HTTP/1.0 request without one, for a proxy that needs a host. */
export const NO_HOST = "no-host.invalid";

/** The request after each case. A server that has read a case as a whole responds to it with `END_STATUS`. */
const END_TARGET = "/end-of-case";
const END_STATUS = 299;
export const END_REQUEST = `GET ${END_TARGET} HTTP/1.1\r\nHost: end\r\n\r\n`;

/** Returns the status of the response to a request. */
export function statusFor(target: string): number {
  return target === END_TARGET ? END_STATUS : 200;
}

const STATUS = /HTTP\/1\.[01] (\d{3})/g;

/**
 * Sends bytes on a new connection and resolves to what the server has read: once the final request has its response, the server
 * has closed the connection, or nothing has happened for `quietTime` milliseconds.
 */
export function readBy(
  { port, recorder }: ReadingServer,
  bytes: Buffer,
  quietTime: number,
): Promise<Reading> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let clientPort = 0;
    let received = "";
    let isDone = false;
    const finish = (hasEnded: boolean): void => {
      if (!isDone) {
        isDone = true;
        clearTimeout(timer);
        // A reset leaves no port in TIME_WAIT.
        socket.resetAndDestroy();
        resolve(readingOf(recorder.get(clientPort) ?? [], received, hasEnded));
        recorder.delete(clientPort);
      }
    };
    // After a pause of this process, data may wait that the timer has not seen.
    const timer = setTimeout(() => setImmediate(() => setImmediate(finish, false)), quietTime);
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      timer.refresh();
      if (received.includes(`HTTP/1.1 ${END_STATUS}`)) {
        finish(false);
      }
    });
    for (const event of ["error", "close", "end"]) {
      socket.on(event, () => finish(true));
    }
    socket.on("connect", () => {
      clientPort = socket.localPort ?? 0;
      recorder.set(clientPort, []);
      socket.write(bytes);
    });
  });
}

/** What a server has read, by the requests that its handler has seen, and by what it has sent. */
function readingOf(recorded: readonly ReadRequest[], received: string, hasEnded: boolean): Reading {
  const statuses = [...received.matchAll(STATUS)]
    .map((match) => Number(match[1]))
    .filter((each) => each >= 200);
  const status = statuses.at(-1) ?? 0;
  const isLastRejected = hasEnded && status >= 400;
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
  return { requests, end: isRejected ? "rejected" : hasEnded ? "closed" : "open", status };
}
