import { setImmediate as turn } from "node:timers/promises";
import { ByteBudget } from "../../../packages/http-server/src/core/byte-budget.js";
import { Http1Connection } from "../../../packages/http-server/src/http1/connection.js";
import type { ServerRequest } from "../../../packages/http-server/src/request.js";
import { connectionOptions } from "../../../packages/http-server/test/connection-options.js";
import { type Reading, type ReadRequest, statusFor } from "../../differential/reading.js";
import { readingOf } from "../../differential/send.js";
import { MemorySocket } from "../memory-socket.js";

/** How a connection is used. */
export interface Use {
  /** Whether the handler reads and writes part by part. */
  readonly isAsync: boolean;
  /** Whether the client reads late. */
  readonly isSlow: boolean;
  /** What the client does at the end. */
  readonly end: "closes its half" | "disconnects" | "waits";
}

/** What one connection has done. */
export interface ConnectionResult {
  readonly reading: Reading;
  readonly problems: readonly string[];
}

/** Iterations of the event loop without output after which a connection waits for more bytes. */
const QUIET_TURNS = 6;
/** Iterations until a connection must have closed, and the milliseconds that each one stands for. */
const MAX_TURNS = 100;
const TURN = 500;
const MUCH = Buffer.alloc(50_000, "m");

/** Sends bytes in pieces, and resolves when the connection has closed. */
export async function runConnection(pieces: readonly Buffer[], use: Use): Promise<ConnectionResult> {
  const socket = new MemorySocket(use.isSlow);
  const budget = new ByteBudget(2 ** 30);
  const lingering = new Set<object>();
  const requests: ServerRequest[] = [];
  const recorded: ReadRequest[] = [];
  let hasEnded = false;
  socket.onOutput = (chunk) => {
    hasEnded ||= chunk === undefined;
  };
  const connection = new Http1Connection(
    socket.asSocket(),
    connectionOptions({
      budget,
      lingering,
      headersTimeout: 1000,
      requestTimeout: 1000,
      idleTimeout: 1000,
      onRequest: (request) => {
        requests.push(request);
        recorded.push((use.isAsync ? handleAsync : handleSync)(request));
      },
    }),
  );
  // The connection reads from the next turn on.
  await turn();
  for (const piece of pieces) {
    socket.receive(piece);
  }
  const isOver = (): boolean => hasEnded || socket.destroyed;
  let written = 0;
  for (let quiet = 0; quiet < QUIET_TURNS && !isOver(); quiet++) {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      quiet = 0;
    }
    await turn();
  }
  const reading = readingOf(recorded, socket.output.toString("latin1"), hasEnded || socket.destroyed);

  if (use.end === "closes its half") {
    socket.push(null);
  } else if (use.end === "disconnects") {
    socket.destroy();
  }
  for (let turns = 0; turns < MAX_TURNS && !socket.closed; turns++) {
    connection.check(turns * TURN);
    await turn();
  }
  // "close" is emitted after `closed` is set.
  await turn();
  const open = requests.filter(({ isClosed }) => !isClosed).length;
  return {
    reading,
    problems: [
      ...(socket.closed ? [] : [`the connection stays open although the client ${use.end}`]),
      ...(open === 0 ? [] : [`${open} requests are open after the end`]),
      ...(budget.used === 0 ? [] : [`${budget.used} bytes of the budget are left after the end`]),
      ...(lingering.size === 0 ? [] : ["the connection is among those that linger after its end"]),
    ],
  };
}

function recordOf({ method, target, headers, authority = "" }: ServerRequest): ReadRequest {
  return { method, target, headers: headers.list, host: authority, body: [], isComplete: false };
}

/** Responds to whole bodies. */
function handleSync(request: ServerRequest): ReadRequest {
  const read = recordOf(request);
  request.readBody(Number.MAX_SAFE_INTEGER, (body) => {
    if (body === "too large") {
      request.respond(413, [], undefined);
      return;
    }
    // The bytes are valid only during this call.
    read.body.push(Buffer.from(body));
    read.isComplete = true;
    request.respond(statusFor(request.target), [], undefined);
  });
  return read;
}

/** Responds to a POST with its body, part by part, to other requests with much, and to DELETE before the body. */
function handleAsync(request: ServerRequest): ReadRequest {
  const read = recordOf(request);
  if (request.method === "DELETE") {
    request.respond(401, [], "now");
    return read;
  }
  const response = request.openResponse(statusFor(request.target), ["x-a", "b"]);
  const body = request.openBody(copy);
  let isBlocked = request.method !== "POST" && !response.write(MUCH, onReady);
  copy();
  return read;

  function onReady(): void {
    isBlocked = false;
    copy();
  }

  function copy(): void {
    while (!isBlocked && !read.isComplete) {
      const part = body.take();
      if (part === undefined) {
        if (body.isTaken) {
          read.isComplete = true;
          response.end(undefined, ["x-trailer", "a"]);
        }
        return;
      }
      isBlocked = !response.write(part, onReady);
    }
  }
}
