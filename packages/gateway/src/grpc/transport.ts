import { create, type DescMessage, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import { PREFIX_BYTES, writePrefix } from "connect-transcoding";
import { createBinaryReaders, createBinaryWriters, type MessageInit } from "connect-transcoding/codec";
import type { UpstreamCall, UpstreamCallHead } from "./call.js";
import type { UpstreamConnections } from "./connection.js";
import { ACCEPTED_ENCODINGS } from "./frames.js";
import { appendMetadata, outgoingMetadata } from "./metadata.js";
import { callStream } from "./stream.js";
import { callUnary } from "./unary.js";

/** Converts the messages of a method. */
export interface MessageCodec {
  /** Writes a request with its prefix. */
  readonly write: (message: MessageInit) => Uint8Array;
  /** Reads a response. Throws a ConnectError for malformed bytes. */
  readonly read: (bytes: Uint8Array) => Message;
}

export function createMessageCodecs(): (method: DescMethod) => MessageCodec {
  const writers = createBinaryWriters();
  const readers = createBinaryReaders();
  return ({ input, output }) => {
    const write = writers.ofMessage(input);
    const read = readers.ofMessage(output);
    return {
      write: (message) => writePrefix(write(message, PREFIX_BYTES), 0),
      read: (bytes) => {
        try {
          return read(bytes);
        } catch {
          throw new ConnectError("the upstream server has sent a malformed message", Code.Internal);
        }
      },
    };
  };
}

/** The transport of connect-es's clients over some connections. It has no interceptors, and its calls do not wait for an upstream that is down. */
export function createTransport(connections: UpstreamConnections, maxResponseBytes: number): Transport {
  const codecOf = createMessageCodecs();
  function headOf(
    method: DescMethod,
    timeoutMs: number | undefined,
    header: HeadersInit | undefined,
  ): UpstreamCallHead {
    return {
      path: `/${method.parent.typeName}/${method.name}`,
      headers: [...outgoingMetadata(new Headers(header)), "grpc-accept-encoding", ACCEPTED_ENCODINGS],
      timeout: timeoutMs,
      wait: 0,
    };
  }
  return {
    unary: async (method, signal, timeoutMs, header, input) => {
      const { write, read } = codecOf(method);
      const frame = write(create<DescMessage>(method.input, input));
      const head = headOf(method, timeoutMs, header);
      const cancellation = cancelWith(signal);
      const result = await callUnary(connections, head, frame, maxResponseBytes, cancellation.start).finally(
        cancellation.release,
      );
      const response = {
        stream: false,
        service: method.parent,
        method,
        header: headersOf(result.head),
        trailer: headersOf(result.trailers),
        message: read(result.message),
      };
      // The types of descriptors do not follow from their use.
      return response as UnaryResponse as never;
    },
    stream: async (method, signal, timeoutMs, header, input) => {
      const { write, read } = codecOf(method);
      const frames = (async function* () {
        for await (const message of input) {
          yield write(create<DescMessage>(method.input, message));
        }
      })();
      const head = headOf(method, timeoutMs, header);
      const cancellation = cancelWith(signal);
      const result = await callStream(connections, head, frames, maxResponseBytes, cancellation.start).catch(
        (thrown: unknown) => {
          cancellation.release();
          throw thrown;
        },
      );
      const trailer = new Headers();
      const response = {
        stream: true,
        service: method.parent,
        method,
        header: headersOf(result.head),
        trailer,
        message: (async function* () {
          try {
            for await (const bytes of result.messages) {
              yield read(bytes);
            }
            appendMetadata(result.trailers(), trailer);
          } finally {
            cancellation.release();
          }
        })(),
      };
      return response as StreamResponse as never;
    },
  };
}

function headersOf(received: Parameters<typeof appendMetadata>[0]): Headers {
  const headers = new Headers();
  appendMetadata(received, headers);
  return headers;
}

/** Cancels a call when a signal is aborted, until `release`: signals can live longer than calls. */
function cancelWith(signal: AbortSignal | undefined) {
  let cancel = (): void => {};
  return {
    start: (call: UpstreamCall): void => {
      cancel = () => call.cancel(ConnectError.from(signal?.reason, Code.Canceled));
      if (signal?.aborted === true) {
        cancel();
      } else {
        signal?.addEventListener("abort", cancel, { once: true });
      }
    },
    release: (): void => signal?.removeEventListener("abort", cancel),
  };
}
