import { ConnectError } from "@connectrpc/connect";
import type { RawRequest } from "connect-transcoding";
import type { UpstreamCall } from "../grpc/call.js";
import { FrameLimit } from "./frame-limit.js";

/** The bytes of memory of a call that streams. */
const STREAM_BYTES = 8 * 1024;

/** Passes the body of a request on part by part. Returns the function to call when the upstream takes more. */
export function relayRequest(request: RawRequest, call: () => UpstreamCall, maxBytes: number): () => void {
  const limit = new FrameLimit(maxBytes);
  let isFull = false;
  let hasEnded = false;
  request.holdMemory(STREAM_BYTES);
  const body = request.openBody(pump);

  function pump(): void {
    while (!isFull && !hasEnded) {
      const part = body.take();
      if (part === undefined) {
        if (body.isTaken) {
          hasEnded = true;
          call().end();
        }
        return;
      }
      try {
        limit.pass(part);
      } catch (thrown) {
        hasEnded = true;
        call().cancel(ConnectError.from(thrown));
        return;
      }
      isFull = !call().write(part);
      body.retain(isFull ? part.length : 0);
    }
  }

  return () => {
    isFull = false;
    body.retain(0);
    pump();
  };
}
