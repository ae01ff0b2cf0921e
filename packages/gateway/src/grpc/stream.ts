import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderSection } from "@utility-tools/http-server/client";
import { startUpstreamCall, type UpstreamCall, type UpstreamCallHead } from "./call.js";
import type { UpstreamConnections } from "./connection.js";
import { inflate, MessageFrames } from "./frames.js";
import { statusError } from "./status.js";

/** The response of a call that streams. */
export interface StreamResult {
  /** Undefined for a response without messages, which has trailers alone. */
  readonly head: HeaderSection | undefined;
  /** The messages without their prefixes. The iteration rejects with a ConnectError. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Undefined before the last message. */
  readonly trailers: () => HeaderSection | undefined;
}

/** The response is not read on while more bytes than this wait to be taken. */
const MAX_WAITING = 64 * 1024;

/**
 * Calls a method with a stream of messages. Resolves when the response has begun, rejects with a ConnectError. The requests are read as fast
 * as the upstream takes them; one that rejects cancels the call.
 *
 * @param frames the request messages with their prefixes
 */
export function callStream(
  connections: UpstreamConnections,
  callHead: UpstreamCallHead,
  frames: AsyncIterable<Uint8Array>,
  limit: number,
  onStart: (call: UpstreamCall) => void,
): Promise<StreamResult> {
  return new Promise((resolve, reject) => {
    const reader = new MessageFrames(limit);
    let trailers: HeaderSection | undefined;
    let outcome: { readonly error: ConnectError | undefined } | undefined;
    let waiting = 0;
    /** Wakes the iteration of the messages, and the sender. */
    let onChange = (): void => {};
    let onReady = (): void => {};

    async function* messages(head: HeaderSection | undefined): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          const frame = reader.next();
          if (frame !== undefined) {
            waiting -= frame.bytes.length;
            yield frame.isCompressed ? await inflate(frame, head?.get("grpc-encoding"), limit) : frame.bytes;
          } else if (outcome === undefined) {
            waiting = 0;
            call.resume();
            await new Promise<void>((wake) => {
              onChange = wake;
            });
          } else {
            const error = outcome.error ?? reader.problem;
            if (error !== undefined) {
              throw error;
            }
            return;
          }
        }
      } finally {
        call.cancel();
      }
    }

    function end(error: ConnectError | undefined): void {
      outcome = { error };
      onChange();
      onReady();
    }

    function begin(head: HeaderSection | undefined): void {
      resolve({ head, messages: messages(head), trailers: () => trailers });
    }

    const call = startUpstreamCall(connections, callHead, {
      onHead: (head) => {
        if (head.get("grpc-status") === undefined) {
          begin(head);
        }
      },
      onData: (bytes) => {
        reader.push(bytes);
        waiting += bytes.length;
        if (waiting > MAX_WAITING) {
          call.pause();
        }
        onChange();
      },
      onEnd: (received, head) => {
        trailers = received;
        // The metadata of the head was received with it.
        const error = statusError(received);
        end(error);
        if (error !== undefined) {
          // Does nothing if the response has begun.
          reject(error);
        }
        begin(received === head ? undefined : head);
      },
      onError: (error) => {
        end(error);
        reject(error);
      },
      onDrain: () => onReady(),
    });
    onStart(call);
    send().catch((thrown: unknown) => {
      const isKnown = thrown instanceof ConnectError;
      call.cancel(isKnown ? thrown : new ConnectError("the request cannot be read", Code.Internal));
    });

    async function send(): Promise<void> {
      for await (const frame of frames) {
        if (outcome !== undefined) {
          // The upstream needs no more messages.
          return;
        }
        if (!call.write(frame) && outcome === undefined) {
          await new Promise<void>((wake) => {
            onReady = wake;
          });
        }
      }
      call.end();
    }
  });
}
