import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";

/** A request of `node:http` or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response of the same. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** A request's body, or that it is longer than allowed. */
export type BodyOutcome = Uint8Array | "too large";

/** Bytes of a rejected body that are still read. */
const MAX_DISCARDED = 1024 * 1024;

/** How to read a body. */
export interface BodyLimits {
  /** The maximum length in bytes. */
  readonly limit: number;
  /** The `Content-Length` of the request, if it has one. */
  readonly announced: string | undefined;
  /** Whether a body that has ended is incomplete. */
  isAborted(): boolean;
  /** Ends a request that continues beyond {@link MAX_DISCARDED}. */
  cut(): void;
}

/** Reads a body and calls back once: at its end, or as soon as it is too long. The rest is read and discarded. */
export function collectBody(
  source: Readable,
  { limit, announced, isAborted, cut }: BodyLimits,
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
    } else if (length <= MAX_DISCARDED) {
      finish("too large");
    } else {
      cut();
    }
  });
  source.on("end", () => {
    if (!isAborted()) {
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
 * The body of a request for a library that may stop reading early. Iterating over the request itself would destroy it in that
 * case; over HTTP/1.1 the rest of the body and the next request would then never be read.
 */
export function bodyOf(request: NodeRequest): AsyncIterable<Uint8Array> {
  return request.iterator({ destroyOnReturn: false });
}

/**
 * Discards the rest of a request once its response has been sent. Otherwise a client that sends its whole request before it
 * reads the response would wait forever, and so would its connection.
 */
export function discardOnceAnswered(request: NodeRequest, response: NodeResponse): void {
  if ("stream" in request) {
    // Trailers, even empty ones, are the end of a response.
    request.stream.once("wantTrailers", () => discardRest(request));
  } else {
    response.once("finish", () => discardRest(request));
  }
}

/** Reads and discards the rest of a request, up to a bound at which it is cut off. */
export function discardRest(request: NodeRequest): void {
  let discarded = 0;
  const discard = (): void => {
    for (let chunk: Buffer | null = request.read(); chunk !== null; chunk = request.read()) {
      discarded += chunk.length;
    }
    if (discarded <= MAX_DISCARDED) {
      return;
    }
    if ("stream" in request) {
      request.stream.close();
    } else {
      request.socket.destroySoon();
    }
  };
  if (!request.readableEnded) {
    request.on("readable", discard);
    discard();
    if ("stream" in request) {
      closeWhenQuiet(request.stream);
    }
  }
}

/** Milliseconds without data after which a request that has its response is closed. */
const QUIET_TIME = 100;

/**
 * Closes a stream after its response, once no more data of its request arrives. The caller must read the request. A client
 * that has the response may leave the stream open; a reset without an error closes it (RFC 9113, section 8.1).
 * The reset must not be sent while data still arrives: Node counts data for a closed stream against the memory of its
 * session forever, and rejects all streams after 10 MB.
 */
export function closeWhenQuiet(stream: ServerHttp2Stream): void {
  let hasData = true;
  const onData = (): void => {
    hasData = true;
  };
  const timer = setInterval(() => {
    if (!hasData) {
      stream.close();
    }
    hasData = false;
  }, QUIET_TIME);
  stream.on("data", onData);
  stream.once("close", () => clearInterval(timer));
}
