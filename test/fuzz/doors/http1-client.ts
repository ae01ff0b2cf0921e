import { connect, type Socket } from "node:net";
import type { DoorAnswer, DoorRequest } from "./door-request.js";
import { readHttp1Answer } from "./http1-answer.js";

/** Sends requests over connections of HTTP/1.1 that it keeps. */
export interface Http1Client {
  /** Resolves to what came back, if only that nothing did. */
  ask(request: DoorRequest, octets: Buffer): Promise<DoorAnswer>;
  close(): void;
}

const NOTHING: Pick<DoorAnswer, "status" | "headers" | "body"> = {
  status: 0,
  headers: new Map(),
  body: Buffer.alloc(0),
};

/**
 * Makes a client without rules, unlike that of `node:http`, which refuses to send most of what is worth sending.
 * Milliseconds: what an answer may take, and how long a request that is broken off waits for one.
 */
export function createHttp1Client(port: number, patience: number, glance: number): Http1Client {
  const idle: Socket[] = [];

  /** Once one has closed, nobody takes it from the idle ones. */
  function socketFor(): Socket {
    for (let socket = idle.pop(); socket !== undefined; socket = idle.pop()) {
      if (!socket.destroyed && socket.readable) {
        return socket;
      }
    }
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    // How a connection ends is told to who waits for its answer.
    socket.on("error", () => {});
    return socket;
  }

  function ask(request: DoorRequest, octets: Buffer): Promise<DoorAnswer> {
    return new Promise((resolve) => {
      const socket = socketFor();
      const chunks: Buffer[] = [];
      const finish = (answer: DoorAnswer, keep: boolean): void => {
        clearTimeout(timer);
        socket.off("data", onData).off("close", onClose);
        // Where a request was broken off, what comes next would be taken for the rest of it.
        if (keep && !request.breakOff) {
          idle.push(socket);
        } else {
          socket.destroy();
        }
        resolve(answer);
      };
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        const received = joined(chunks);
        const answer = readHttp1Answer(received, request.verb);
        if (answer?.length !== undefined) {
          const isLast = answer.headers.get("connection") === "close" || received.length > answer.length;
          finish({ ...answer, end: "complete" }, !isLast);
        }
      };
      const onClose = (): void => {
        const answer = readHttp1Answer(joined(chunks), request.verb);
        finish(answer === undefined ? { ...NOTHING, end: "closed" } : { ...answer, end: "complete" }, false);
      };
      const timer = setTimeout(
        () => finish({ ...NOTHING, end: request.breakOff ? "abandoned" : "late" }, false),
        request.breakOff ? glance : patience,
      );
      socket.on("data", onData).on("close", onClose);
      socket.write(octets);
    });
  }

  function close(): void {
    for (const socket of idle) {
      socket.destroy();
    }
  }

  return { ask, close };
}

function joined(chunks: Buffer[]): Buffer {
  const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  chunks.splice(0, chunks.length, whole);
  return whole;
}
