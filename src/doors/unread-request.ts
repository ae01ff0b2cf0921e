import { closeWhenQuiet } from "./close-when-quiet.js";
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
