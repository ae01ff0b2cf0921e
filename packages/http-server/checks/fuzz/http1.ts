import { setImmediate as turn } from "node:timers/promises";
import { type Case, readCaseOptions, runCases } from "connect-transcoding-testing/cases.js";
import { short } from "connect-transcoding-testing/differences.js";
import { damage, type Random, randomBytes, splitAnywhere } from "connect-transcoding-testing/random.js";
import { ByteBudget } from "../../src/core/byte-budget.js";
import { Http1Connection } from "../../src/http1/connection.js";
import type { ServerRequest } from "../../src/request.js";
import { connectionOptions } from "../../test/support/connection-options.js";
import { anyRequests } from "../differential/http1/requests.js";
import { leftAfterEnd, MemorySocket, respondInParts } from "./memory-socket.js";

// Sends sequences of bytes to a connection of HTTP/1.1 in memory. Each connection must close, must leave nothing behind, and
// must have the same requests wherever its bytes are cut.

/** Iterations of the event loop without output after which a connection waits for more bytes. */
const QUIET_TURNS = 6;
/** The milliseconds that an iteration stands for. */
const TURN = 500;
const MUCH = Buffer.alloc(50_000, "m");
const START = "POST / HTTP/1.1\r\nHost: a\r\n";

/** What a parser looks for, and what is nearly that. */
const WORDS = [
  '\r\n|\r\n\r\n|\r|\n|\0| |\t|:|;|,|=|"|\\|0|1|f|-1|4294967296|18446744073709551616|HTTP/1.0|chunked',
  "GET / HTTP/1.1\r\n|PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n|Host: a\r\n|Content-Length: |Transfer-Encoding: ",
  "Transfer-Encoding: chunked\r\n\r\n|identity|Connection: close\r\n|Connection: keep-alive\r\n",
  "Expect: 100-continue\r\n|Upgrade: h2c\r\n|0\r\n\r\n|5\r\nhello\r\n|a: b\r\n|\xe4",
  `${START}|${"x".repeat(200)}`,
].flatMap((words) => words.split("|"));

/** A sequence of bytes from a client of HTTP/1.1: changed requests, words in any order, or any bytes. */
function anyBytes(random: Random): Buffer {
  const kind = random.below(20);
  if (kind === 0) {
    return randomBytes(random, 1 + random.below(300));
  }
  if (kind < 4) {
    const words = Array.from({ length: 1 + random.below(40) }, () => random.pick(WORDS));
    return Buffer.from((random.oneIn(2) ? START : "") + words.join(""), "latin1");
  }
  let { bytes } = anyRequests(random);
  for (let changes = random.oneIn(2) ? random.below(5) : 0; changes > 0 && bytes.length > 0; changes--) {
    bytes = damage(random, bytes);
  }
  return random.oneIn(10) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

/** How a connection is used. */
interface Use {
  /** Whether the handler reads and writes part by part. */
  readonly isAsync: boolean;
  /** Whether the client reads late. */
  readonly isSlow: boolean;
  /** What the client does at the end. */
  readonly end: "closes its half" | "disconnects" | "waits";
}

interface Connection {
  readonly requests: number;
  /** The requests that were read to their end. */
  readonly seen: readonly string[];
  readonly status: string;
  readonly problems: readonly string[];
}

/** Sends bytes in pieces, and resolves when the connection has closed. */
async function runConnection(pieces: readonly Buffer[], { isAsync, isSlow, end }: Use): Promise<Connection> {
  const socket = new MemorySocket(isSlow);
  const budget = new ByteBudget(2 ** 30);
  const lingering = new Set<object>();
  const requests: ServerRequest[] = [];
  const seen: string[] = [];
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
        (isAsync ? handleAsync : handleSync)(request, seen);
      },
    }),
  );
  // The connection reads from the next turn on.
  await turn();
  for (const piece of pieces) {
    socket.receive(piece);
  }
  let written = 0;
  for (let quiet = 0; quiet < QUIET_TURNS && !socket.hasEnded; quiet++) {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      quiet = 0;
    }
    await turn();
  }
  const status = [...socket.output.toString("latin1").matchAll(/^HTTP\/1\.1 (\d+)/gm)].at(-1)?.[1] ?? "none";
  if (end === "closes its half") {
    socket.push(null);
  } else if (end === "disconnects") {
    socket.destroy();
  }
  await socket.until(
    () => socket.closed,
    (turns) => connection.check(turns * TURN),
  );
  // "close" is emitted after `closed` is set.
  await turn();
  const problems = leftAfterEnd({
    "open requests": requests.filter(({ isClosed }) => !isClosed).length,
    "bytes of the budget": budget.used,
    "lingering connections": lingering.size,
  });
  return {
    requests: requests.length,
    seen,
    status,
    problems: socket.closed
      ? problems
      : [`the connection stays open although the client ${end}`, ...problems],
  };
}

/** Responds to whole bodies, and notes what it has read. */
function handleSync(request: ServerRequest, seen: string[]): void {
  const { method, target, headers } = request;
  request.readBody(Number.MAX_SAFE_INTEGER, (body) => {
    seen.push(JSON.stringify([method, target, headers.list, Buffer.from(body).toString("latin1")]));
    request.respond(body === "too large" ? 413 : 200, [], undefined);
  });
}

/** Whether two connections have the same requests. After an error, whether a server reads on depends on when the body arrives. */
function haveSame(one: Connection, other: Connection): boolean {
  const [shorter, longer] = one.seen.length <= other.seen.length ? [one, other] : [other, one];
  const isCut = shorter.seen.length < longer.seen.length;
  return (
    shorter.seen.every((each, index) => each === longer.seen[index]) &&
    (!isCut || /^[45]/.test(shorter.status))
  );
}

/** Responds to a POST with its body, part by part, to other requests with much, and to DELETE before the body. */
function handleAsync(request: ServerRequest): void {
  if (request.method === "DELETE") {
    request.respond(401, [], "now");
    return;
  }
  respondInParts(request, 200, request.method === "POST" ? undefined : MUCH, ["x-trailer", "a"]);
}

async function runBytes({ random, count }: Case): Promise<string[]> {
  const bytes = anyBytes(random);
  const use: Use = {
    isAsync: random.oneIn(4),
    isSlow: random.oneIn(4),
    end: random.pick(["closes its half", "disconnects", "waits"]),
  };
  const whole = await runConnection([bytes], use);
  const pieces = await runConnection(splitAnywhere(random, bytes), use);
  const { requests, status } = pieces;
  const problems = [...whole.problems, ...pieces.problems];
  if (!haveSame(whole, pieces)) {
    problems.push(`the requests depend on where the bytes are cut: ${short([whole, pieces], 1500)}`);
  }
  count("connections", `last status ${status}`);
  count("requests of a connection", String(requests));
  return problems.length === 0 ? [] : [...problems, short(bytes.toString("latin1"), 1500)];
}

await runCases(readCaseOptions("fuzz/http1"), { run: runBytes, maxGrowth: 8 });
