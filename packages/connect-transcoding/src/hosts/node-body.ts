import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import type { Body, BodyReader, BodyWriter, HeaderList } from "@utility-tools/http-server";
import type { NodeRequest, NodeResponse } from "./node-request.js";

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
  /** Ends a request that continues beyond {@link MAX_DISCARDED}. Called once. */
  cut(): void;
}

/** Reads a body and calls back once: at its end, or as soon as it is too long. The rest is read and discarded. */
export function collectBody(
  source: Readable,
  { limit, announced, isAborted, cut }: BodyLimits,
  done: (outcome: Body) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const countDiscarded = discardLimit(cut);
  let isDone = false;
  const finish = (outcome: Body): void => {
    if (!isDone) {
      isDone = true;
      done(outcome);
    }
  };
  source.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (!isDone && length <= limit) {
      chunks.push(chunk);
      return;
    }
    finish("too large");
    countDiscarded(chunk.length);
  });
  source.on("end", () => {
    if (!isAborted()) {
      finish(joinChunks(chunks));
    }
  });
  if (Number(announced) > limit) {
    finish("too large");
  } else if (source.readableEnded && !isAborted()) {
    // An empty body of node:http2 ends before it is read, if its request has waited for its turn.
    finish(joinChunks(chunks));
  }
}

/** Counts bytes that are discarded, and cuts once: data that is already on its way still arrives after that. */
function discardLimit(cut: () => void): (bytes: number) => void {
  let discarded = 0;
  return (bytes) => {
    const wasCut = discarded > MAX_DISCARDED;
    discarded += bytes;
    if (!wasCut && discarded > MAX_DISCARDED) {
      cut();
    }
  };
}

function joinChunks(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** Reads a body part by part. A body whose request was aborted has no end. */
export function bodyReaderOf(readable: Readable, isAborted: () => boolean, onChange: () => void): BodyReader {
  readable.on("readable", onChange);
  readable.on("end", onChange);
  return {
    take: () => readable.read() ?? undefined,
    // Node's servers have no limit of all connections.
    retain: () => {},
    get isTaken() {
      return readable.readableEnded && !isAborted();
    },
  };
}

/** Writes a body part by part to a response of Node's servers. */
export function bodyWriterOf(target: Writable, setTrailers: (trailers: HeaderList) => void): BodyWriter {
  return {
    write: (part, onReady) => {
      const isReady = target.destroyed || target.writableEnded || target.write(part);
      if (!isReady) {
        target.once("drain", onReady);
      }
      return isReady;
    },
    end: (part, trailers = []) => {
      if (!target.destroyed) {
        setTrailers(trailers);
        target.end(part);
      }
    },
  };
}

/** Whether something else has read the body, for example a parser of Express. */
export function isConsumed(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

/** The body as a parser has kept it in `request.body`: bytes, text, or a JSON value; undefined for anything else. */
export function parsedBody(request: IncomingMessage & { readonly body?: unknown }): Uint8Array | undefined {
  const { body, headers } = request;
  if (body instanceof Uint8Array) {
    return body;
  }
  if (typeof body === "string") {
    return Buffer.from(body);
  }
  const isJson = /^application\/(?:[^;]+\+)?json\b/i.test(headers["content-type"] ?? "");
  return isJson && body !== undefined ? Buffer.from(JSON.stringify(body)) : undefined;
}

/** Reads a body that is in memory. */
export function wholeBodyReader(bytes: Uint8Array): BodyReader {
  let rest: Uint8Array | undefined = bytes;
  return {
    take: () => {
      const taken = rest;
      rest = undefined;
      return taken;
    },
    retain: () => {},
    get isTaken() {
      return rest === undefined;
    },
  };
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
  const countDiscarded = discardLimit(() =>
    "stream" in request ? request.stream.close() : request.socket.destroySoon(),
  );
  const discard = (): void => {
    for (let chunk: Buffer | null = request.read(); chunk !== null; chunk = request.read()) {
      countDiscarded(chunk.length);
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
