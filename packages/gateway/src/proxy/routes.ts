import {
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { MessageInit } from "connect-transcoding/codec";
import { appendMetadata, receivedMetadata } from "../grpc/metadata.js";
import { callStream, type StreamResult } from "../grpc/stream.js";
import { createMessageCodecs, type MessageCodec } from "../grpc/transport.js";
import { callUnary } from "../grpc/unary.js";
import { createProxiedCall, rawRequestOf } from "./proxied-call.js";
import { isDeclaredIdempotent, withRetries } from "./retry.js";
import type { Upstream } from "./upstream.js";

export interface ProxiedService {
  readonly service: DescService;
  readonly upstreamOf: (request: Message | undefined) => Upstream;
}

/** How calls are passed on. */
export interface ProxyOptions {
  /** The types of details of errors. */
  readonly registry: Registry;
  /** The deadline of calls that have none, in milliseconds. */
  readonly timeout: number | undefined;
  /** How long calls wait for a connection, in milliseconds. */
  readonly wait: number;
  /** The limit of a response message in bytes. */
  readonly maxResponseBytes: number;
}

/** Routes whose implementations call upstreams. */
export function proxyRoutes(services: readonly ProxiedService[], options: ProxyOptions) {
  const codecOf = createMessageCodecs();
  return (router: ConnectRouter): void => {
    for (const { service, upstreamOf } of services) {
      for (const method of service.methods) {
        const { unary, streaming } = implementations(method, codecOf(method), upstreamOf, options);
        switch (method.methodKind) {
          case "unary":
            router.rpc(method as never, unary as never);
            break;
          case "server_streaming":
            router.rpc(
              method as never,
              ((message: Message, context: HandlerContext) =>
                streaming(message, only(message), context)) as never,
            );
            break;
          case "client_streaming":
            router.rpc(
              method as never,
              ((messages: AsyncIterable<Message>, context: HandlerContext) =>
                onlyOf(streaming(undefined, messages, context))) as never,
            );
            break;
          case "bidi_streaming":
            router.rpc(
              method as never,
              ((messages: AsyncIterable<Message>, context: HandlerContext) =>
                streaming(undefined, messages, context)) as never,
            );
            break;
        }
      }
    }
  };
}

function implementations(
  method: DescMethod,
  { write, read }: MessageCodec,
  upstreamOf: ProxiedService["upstreamOf"],
  options: ProxyOptions,
) {
  const { registry, maxResponseBytes } = options;
  const path = `/${method.parent.typeName}/${method.name}`;
  const isIdempotent = isDeclaredIdempotent(method);
  const startUpstreamCall = (context: HandlerContext) =>
    createProxiedCall(rawRequestOf(context), path, context.timeoutMs() ?? options.timeout, options.wait);

  return {
    unary: async (message: MessageInit, context: HandlerContext): Promise<Message> => {
      const call = startUpstreamCall(context);
      const { connections, retries } = upstreamOf(message as Message);
      const frame = write(message);
      const send = () => callUnary(connections, call.head(), frame, maxResponseBytes, call.follow);
      try {
        const result = await withRetries(send, call, isIdempotent, retries);
        passMetadata(result.head, context, "responseHeader");
        passMetadata(result.trailers, context, "responseTrailer");
        return read(result.message);
      } catch (thrown) {
        throw toClientError(thrown, registry);
      }
    },
    async *streaming(
      first: Message | undefined,
      messages: AsyncIterable<MessageInit>,
      context: HandlerContext,
    ): AsyncGenerator<Message> {
      const call = startUpstreamCall(context);
      const { connections, retries } = upstreamOf(first);
      const send = (): Promise<StreamResult> =>
        callStream(connections, call.head(), written(messages, write), maxResponseBytes, call.follow);
      try {
        // A stream of requests can be read once.
        const result = await (first === undefined ? send() : withRetries(send, call, isIdempotent, retries));
        passMetadata(result.head, context, "responseHeader");
        for await (const bytes of result.messages) {
          yield read(bytes);
        }
        passMetadata(result.trailers(), context, "responseTrailer");
      } catch (thrown) {
        throw toClientError(thrown, registry);
      }
    },
  };
}

/** Adds metadata to that of a response. Most responses have none, and then need no `Headers`. */
function passMetadata(
  from: Parameters<typeof receivedMetadata>[0],
  context: HandlerContext,
  to: "responseHeader" | "responseTrailer",
): void {
  if (receivedMetadata(from).length > 0) {
    appendMetadata(from, context[to]);
  }
}

async function* written(
  messages: AsyncIterable<MessageInit>,
  write: MessageCodec["write"],
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    yield write(message);
  }
}

/** The message in a form that can be iterated several times. */
function only(message: Message): AsyncIterable<Message> {
  return {
    async *[Symbol.asyncIterator]() {
      yield message;
    },
  };
}

async function onlyOf(messages: AsyncIterable<Message>): Promise<Message> {
  let only: Message | undefined;
  for await (const message of messages) {
    if (only !== undefined) {
      throw new ConnectError("the upstream server has sent more than one message", Code.Unimplemented);
    }
    only = message;
  }
  if (only === undefined) {
    throw new ConnectError("the upstream server has sent no message", Code.Unimplemented);
  }
  return only;
}

/**
 * An error with its details decoded, so that they become JSON over REST and Connect. Any other exception is returned as it is, so that its
 * message goes to the log alone.
 */
function toClientError(thrown: unknown, registry: Registry): unknown {
  if (thrown instanceof ConnectError) {
    thrown.details = thrown.details.flatMap((detail) => decoded(detail, registry));
  }
  return thrown;
}

/**
 * A detail with its type. One of an unknown type stays as it is; one that is malformed is left out, as it cannot be written.
 */
function decoded(detail: ConnectError["details"][number], registry: Registry): ConnectError["details"] {
  const desc = "desc" in detail ? undefined : registry.getMessage(detail.type);
  if (desc === undefined || "desc" in detail) {
    return [detail];
  }
  try {
    const message = fromBinary(desc, detail.value);
    try {
      // The writer of errors knows no types within a google.protobuf.Any.
      toJson(desc, message);
      return [{ desc, value: message }] as ConnectError["details"];
    } catch {
      return [detail];
    }
  } catch {
    return [];
  }
}
