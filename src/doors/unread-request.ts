import type { IncomingMessage } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { MAX_DRAINED } from "./collect-body.js";
import type { NodeRequest, NodeResponse } from "./node-http.js";

/**
 * The body of a request for a library that may stop before its end. To iterate over a request itself destroys it then;
 * over HTTP/1.1 nobody reads from the connection any more, neither the rest of the body nor the next request.
 */
export function bodyOf(request: NodeRequest): AsyncIterable<Uint8Array> {
  return request.iterator({ destroyOnReturn: false });
}

/**
 * Sees to it that a request that was not read to its end does not hold up its caller, who may write all of it before
 * looking for the answer, nor its connection: once the answer is out, HTTP/2 closes the stream, and over HTTP/1.1 the
 * rest is read and dropped, up to a bound at which the connection is cut.
 */
export function letGoOnceAnswered(request: NodeRequest, response: NodeResponse): void {
  if ("stream" in request) {
    // The two are of one kind, which their types do not say.
    closeOnceAnswered(response as Http2ServerResponse);
  } else {
    response.once("finish", () => dropRest(request));
  }
}

/** The reset says NO_ERROR: the caller is to stop, and the answer holds (RFC 9113, section 8.1). */
function closeOnceAnswered({ stream }: Http2ServerResponse): void {
  // The trailers, if only none, are the last of an answer: node:http2 takes them when it asks for them, and loses them
  // where the stream is closed in the same turn.
  stream.once("wantTrailers", () => {
    if (!stream.readableEnded) {
      setImmediate(() => stream.close());
    }
  });
}

/** Node does this itself where nobody has begun to read. */
function dropRest(request: IncomingMessage): void {
  let dropped = 0;
  const drop = (): void => {
    for (let chunk: Buffer | null = request.read(); chunk !== null; chunk = request.read()) {
      dropped += chunk.length;
    }
    if (dropped > MAX_DRAINED) {
      request.destroy();
    }
  };
  if (!request.readableEnded) {
    request.on("readable", drop);
    drop();
  }
}
