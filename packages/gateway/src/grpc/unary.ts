import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderSection } from "@utility-tools/http-server/client";
import { startUpstreamCall, type UpstreamCall, type UpstreamCallHead } from "./call.js";
import type { UpstreamConnections } from "./connection.js";
import { type Frame, inflate, MessageFrames } from "./frames.js";
import { statusError } from "./status.js";

/** The response of a call with one message. */
export interface UnaryResult {
  readonly head: HeaderSection;
  readonly trailers: HeaderSection;
  /** The message, without its prefix. */
  readonly message: Uint8Array;
}

/**
 * Calls a method with one message. Rejects with a ConnectError.
 *
 * @param frame the request message with its prefix
 * @param limit the maximum length of the response message in bytes
 * @param onStart called with the call, so that it can be cancelled
 */
export function callUnary(
  connections: UpstreamConnections,
  callHead: UpstreamCallHead,
  frame: Uint8Array,
  limit: number,
  onStart: (call: UpstreamCall) => void,
): Promise<UnaryResult> {
  return new Promise((resolve, reject) => {
    const reader = new MessageFrames(limit);
    let message: Frame | undefined;
    const call = startUpstreamCall(connections, callHead, {
      onHead: () => {},
      onData: (bytes) => {
        reader.push(bytes);
        try {
          for (let next = reader.next(); next !== undefined; next = reader.next()) {
            if (message !== undefined) {
              throw new ConnectError(
                "the upstream server has sent more than one message",
                Code.Unimplemented,
              );
            }
            message = next;
          }
        } catch (thrown) {
          call.cancel(ConnectError.from(thrown));
        }
      },
      onEnd: (trailers, head) => {
        const error = statusError(trailers, head) ?? lengthError(message, reader);
        if (error !== undefined || message === undefined) {
          reject(error);
        } else if (message.isCompressed) {
          inflate(message, head.get("grpc-encoding"), limit).then(
            (inflated) => resolve({ head, trailers, message: inflated }),
            reject,
          );
        } else {
          resolve({ head, trailers, message: message.bytes });
        }
      },
      onError: reject,
    });
    onStart(call);
    call.end(frame);
  });
}

/** The error of a body without exactly one message; undefined if it has one. */
function lengthError(message: Frame | undefined, reader: MessageFrames): ConnectError | undefined {
  const noMessage = () => new ConnectError("the upstream server has sent no message", Code.Unimplemented);
  return reader.problem ?? (message === undefined ? noMessage() : undefined);
}
