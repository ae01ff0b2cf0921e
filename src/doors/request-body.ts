import { cancelled } from "../rpc/guard.js";
import { bodyTooLarge } from "../transcoding/http-error.js";
import { headerOf, isHttp2, type NodeRequest } from "./node-http.js";

/** Octets of a refused body that are still read, so that the caller gets to see why. */
const MAX_DRAINED = 1024 * 1024;

/**
 * Reads a request's body. Rejects with a 413 HttpError as soon as it is known to be longer than `limit` octets; what
 * follows is read and dropped, up to a bound, for a connection that is cut while a caller writes loses the answer.
 * Rejects with `CANCELLED` when the caller goes before the body has ended.
 */
export function readBody(request: NodeRequest, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let refused = false;
    const refuse = (): void => {
      refused = true;
      chunks.length = 0;
      reject(bodyTooLarge(limit));
    };
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (!refused && length > limit) {
        refuse();
      }
      if (!refused) {
        chunks.push(chunk);
      } else if (length > MAX_DRAINED) {
        cut(request);
      }
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    // However a request ends before its body does, the caller has gone, which is no fault of ours.
    request.once("error", () => reject(cancelled()));
    request.once("close", () => reject(cancelled()));
    if (Number(headerOf(request, "content-length") ?? 0) > limit) {
      refuse();
    }
  });
}

function cut(request: NodeRequest): void {
  if (isHttp2(request)) {
    request.stream.close();
  } else {
    request.destroy();
  }
}
