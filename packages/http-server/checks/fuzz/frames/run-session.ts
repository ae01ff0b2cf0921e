import { setImmediate as turn } from "node:timers/promises";
import { ACK, FRAME, frame, PREFACE } from "connect-transcoding-testing/raw-http2.js";
import { ByteBudget } from "../../../src/core/byte-budget.js";
import { Http2Connection } from "../../../src/http2/connection.js";
import { OutputBuffer } from "../../../src/http2/output-buffer.js";
import type { ServerRequest } from "../../../src/request.js";
import { connectionOptions } from "../../../test/support/connection-options.js";
import { leftAfterEnd, MemorySocket, respondInParts } from "../memory-socket.js";

/** A request as the server has read it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
}

/** What one connection has done. */
export interface SessionResult {
  /** Everything that the server has sent. */
  readonly output: Buffer;
  /** Whether the server has responded to the final PING. */
  readonly isAlive: boolean;
  /** Requests whose handler was called. */
  readonly requests: number;
  /** Requests that were read to their end. */
  readonly seen: readonly SeenRequest[];
  readonly problems: readonly string[];
}

const FENCE_DATA = Buffer.from("the last");
const PONG = frame(FRAME.PING, ACK, 0, FENCE_DATA);
/** The preface without its empty SETTINGS. */
const START = PREFACE.subarray(0, 24);
/** A PING at the end of a session. */
const FENCE = frame(FRAME.PING, 0, 0, FENCE_DATA);
/** As long as the bodies of valid sessions, and shorter than a window, which changed sessions can fill. */
const MAX_BODY = 64_000;

const output = new OutputBuffer();
const MUCH = Buffer.alloc(100_000, "m");

/** A session as it is sent. */
export function sessionBytes(frames: Buffer): Buffer {
  return Buffer.concat([START, frames, FENCE]);
}

/** Sends a session in pieces, and resolves when it is over. `isAsync` selects handlers that read and write part by part. */
export async function runSession(pieces: readonly Buffer[], isAsync: boolean): Promise<SessionResult> {
  const socket = new MemorySocket();
  const budget = new ByteBudget(2 ** 30);
  const seen: SeenRequest[] = [];
  const problems: string[] = [];
  let requests = 0;
  const onRequest = (request: ServerRequest): void => {
    requests++;
    const handle = isAsync ? handleAsync : handleSync;
    handle(request, (body) => seen.push(describeRequest(request, body)));
  };
  const connection = new Http2Connection(
    socket.asSocket(),
    connectionOptions({
      onRequest,
      budget,
      headersTimeout: 1000,
      requestTimeout: 1000,
      idleTimeout: 1000,
      pingTimeout: 1000,
      maxConcurrentStreams: 100,
    }),
    output,
  );
  const isAlive = (): boolean => socket.output.includes(PONG);
  // The connection reads from the next turn on.
  await turn();
  for (const piece of pieces) {
    socket.receive(piece);
  }
  const isOver = () => socket.hasEnded || isAlive();
  // A frame may be incomplete: the timeouts end the connection.
  await socket.until(isOver, (turns) => turns > 5 && connection.check(turns * 500));
  if (isAsync) {
    await turn();
  }
  if (!isOver()) {
    problems.push("the connection neither ends nor responds to PING");
  }
  const result = socket.output;
  const alive = isAlive();
  socket.push(null);
  await socket.until(() => socket.closed);
  if (!socket.closed) {
    problems.push("the connection stays open after its client has closed it");
  }
  problems.push(
    ...leftAfterEnd({
      requests: connection.streams.open,
      streams: connection.streams.values().length,
      "bytes of responses": connection.sender.queued,
      "bytes of the budget": budget.used,
    }),
  );
  return {
    output: result,
    isAlive: alive,
    requests,
    seen,
    problems,
  };
}

/** Responds to `/never` not at all, to `/much` with more than a window, and to others with the body. */
function handleSync(request: ServerRequest, onBody: (body: Uint8Array) => void): void {
  if (request.target !== "/never") {
    request.readBody(MAX_BODY, (body) => {
      if (typeof body === "string") {
        request.respond(413, [], undefined);
        return;
      }
      onBody(body);
      const trailers = body.length % 2 === 1 ? ["grpc-status", "0"] : undefined;
      const isMuch = request.target === "/much";
      request.respond(200, ["x-a", "b"], isMuch ? MUCH : Buffer.from(body).toString("latin1"), trailers);
    });
  }
}

/**
 * Responds with the body, both part by part, and to `/now` before the body: whether that has arrived, and the client need not
 * send it, depends on where the bytes are cut.
 */
function handleAsync(request: ServerRequest): void {
  if (request.target === "/now") {
    request.respond(401, [], "now");
    return;
  }
  if (request.target === "/never") {
    return;
  }
  respondInParts(request, 200, request.target === "/much" ? MUCH : undefined, ["grpc-status", "0"]);
}

function describeRequest(request: ServerRequest, body: Uint8Array): SeenRequest {
  return {
    method: request.method,
    path: request.target,
    headers: request.headers.list,
    body: Buffer.from(body).toString("latin1"),
    trailers: request.trailers?.list ?? [],
  };
}
