import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import type { BodyOutcome } from "./exchange.js";

/** Octets of a refused body that are still read. */
export const MAX_DRAINED = 1024 * 1024;

/** How much of a body is taken, and what its kind of request knows of it. */
export interface BodyLimits {
  /** The longest body, in octets. */
  readonly limit: number;
  /** What the request says of its body's length, if it does. */
  readonly announced: string | undefined;
  /** Whether a body that has ended was broken off. */
  isBroken(): boolean;
  /** Ends a request that goes on beyond {@link MAX_DRAINED}. */
  cut(): void;
}

/**
 * Reads a body, and calls back once: at its end, or as soon as it is known to be too long; what follows is read and dropped.
 */
export function collectBody(
  source: Readable,
  { limit, announced, isBroken, cut }: BodyLimits,
  done: (outcome: BodyOutcome) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (!isDone) {
      isDone = true;
      done(outcome);
    }
  };
  source.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (!isDone && length <= limit) {
      chunks.push(chunk);
    } else if (length <= MAX_DRAINED) {
      finish("too large");
    } else {
      cut();
    }
  });
  source.on("end", () => {
    if (!isBroken()) {
      finish(joinChunks(chunks));
    }
  });
  if (Number(announced) > limit) {
    finish("too large");
  }
}

function joinChunks(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/**
 * The body of a request for a library that may stop before its end. To iterate over a request itself destroys it then;
 * over HTTP/1.1 nobody reads from the connection any more, neither the rest of the body nor the next request.
 */
export function bodyOf(request: NodeRequest): AsyncIterable<Uint8Array> {
  return request.iterator({ destroyOnReturn: false });
}

/**
 * Sees to it that a request that was not read to its end does not hold up its caller, who may write all of it before
 * looking for the answer, nor its connection: once the answer is out, the rest is read and dropped.
 */
export function letGoOnceAnswered(request: NodeRequest, response: NodeResponse): void {
  if ("stream" in request) {
    // The trailers, if only none, are the last of an answer.
    request.stream.once("wantTrailers", () => dropRest(request));
  } else {
    response.once("finish", () => dropRest(request));
  }
}

/** Reads and drops what has not been read of a request, up to a bound at which it is cut. */
export function dropRest(request: NodeRequest): void {
  let dropped = 0;
  const drop = (): void => {
    for (let chunk: Buffer | null = request.read(); chunk !== null; chunk = request.read()) {
      dropped += chunk.length;
    }
    if (dropped <= MAX_DRAINED) {
      return;
    }
    if ("stream" in request) {
      request.stream.close();
    } else {
      request.socket.destroySoon();
    }
  };
  if (!request.readableEnded) {
    request.on("readable", drop);
    drop();
    if ("stream" in request) {
      closeWhenQuiet(request.stream);
    }
  }
}

/** How long nothing may have come of a request whose answer is out, in milliseconds. */
const QUIET = 100;

/**
 * Closes a stream whose answer is out when nothing more comes of its request, which somebody must read. Callers who have
 * their answer may neither send the rest nor end the stream: a reset without an error tells them to stop (RFC 9113, section
 * 8.1). It must not come while they still send, since Node counts what is on its way to a stream that is closed against the
 * memory of its session for good, and after 10 MB refuses all streams.
 */
export function closeWhenQuiet(stream: ServerHttp2Stream): void {
  let hasCome = true;
  const onData = (): void => {
    hasCome = true;
  };
  const timer = setInterval(() => {
    if (!hasCome) {
      stream.close();
    }
    hasCome = false;
  }, QUIET);
  stream.on("data", onData);
  stream.once("close", () => clearInterval(timer));
}

/** A request as `node:http` or the compatibility API of `node:http2` gives it. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response that goes with it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

const AUTHORIZATION = "authorization";

/**
 * The value of a header by its lower-case name; several values are joined by a comma (RFC 9110, section 5.3). Of
 * `Authorization` too, of which Node keeps the first alone: which of two a proxy went by is anyone's guess, so that who
 * decides by that header has to know of both.
 *
 * @param rawHeaders names and values as they came, in turn
 */
export function headerIn(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  name: string,
): string | undefined {
  const value = headers[name];
  if (name === AUTHORIZATION && value !== undefined) {
    const isOne = (_: string, index: number): boolean =>
      index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === AUTHORIZATION;
    return rawHeaders.filter(isOne).join(", ");
  }
  return Array.isArray(value) ? value.join(", ") : value;
}
