import type {
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  Registry,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type HandlerContext,
  type StreamResponse,
} from "@connectrpc/connect";
import { clientAddressKey } from "connect-transcoding";
import { copyMetadata, requestMetadata } from "./metadata.js";
import { withRetries } from "./retry.js";
import type { Upstream } from "./upstream.js";
import { toClientError } from "./upstream-error.js";

/** A service, and the upstream that has it. */
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
  /** Whether a method can be called again if the upstream is unavailable, besides what its `idempotency_level` says. */
  readonly isIdempotent: (method: DescMethod) => boolean;
}

/** The longest timeout in milliseconds: the header of gRPC has eight digits. */
const MAX_TIMEOUT = 99_999_999;

/** Routes whose implementations call upstreams. */
export function proxyRoutes(services: readonly ProxiedService[], options: ProxyOptions) {
  return (router: ConnectRouter): void => {
    for (const { service, upstreamOf } of services) {
      for (const method of service.methods) {
        addMethod(router, method, upstreamOf, options);
      }
    }
  };
}

function addMethod(
  router: ConnectRouter,
  method: DescMethod,
  upstreamOf: ProxiedService["upstreamOf"],
  options: ProxyOptions,
): void {
  const isIdempotent = method.idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN || options.isIdempotent(method);

  // The type of a descriptor does not follow from its kind.
  switch (method.methodKind) {
    case "unary": {
      const unary = method as DescMethodUnary;
      router.rpc(unary, async (request, context) => {
        const call = startCall(context, options);
        const { transport } = upstreamOf(request);
        const send = () => transport.unary(unary, ...call.head(), request);
        const response = await (isIdempotent ? call.retry(send) : send()).catch(call.fail);
        copyMetadata(response.header, context.responseHeader);
        copyMetadata(response.trailer, context.responseTrailer);
        return response.message;
      });
      break;
    }
    case "server_streaming": {
      const streaming = method as DescMethodServerStreaming;
      router.rpc(streaming, (request, context) => {
        const call = startCall(context, options);
        const { transport } = upstreamOf(request);
        const send = () => transport.stream(streaming, ...call.head(), only(request));
        return call.relay(isIdempotent ? () => call.retry(send) : send);
      });
      break;
    }
    case "client_streaming": {
      const streaming = method as DescMethodClientStreaming;
      router.rpc(streaming, async (requests, context) => {
        const call = startCall(context, options);
        const { transport } = upstreamOf(undefined);
        return await onlyOf(call.relay(() => transport.stream(streaming, ...call.head(), each(requests))));
      });
      break;
    }
    case "bidi_streaming": {
      const streaming = method as DescMethodBiDiStreaming;
      router.rpc(streaming, (requests, context) => {
        const call = startCall(context, options);
        const { transport } = upstreamOf(undefined);
        return call.relay(() => transport.stream(streaming, ...call.head(), each(requests)));
      });
      break;
    }
  }
}

function startCall(context: HandlerContext, { registry, timeout }: ProxyOptions) {
  const { signal } = context;
  const header = requestMetadata(context.requestHeader, context.values.get(clientAddressKey));
  const startedAt = performance.now();
  const remaining = () =>
    context.timeoutMs() ?? (timeout === undefined ? undefined : startedAt + timeout - performance.now());
  const toError = (thrown: unknown) => toClientError(thrown, signal, registry);
  return {
    /** The arguments of a transport before the request. */
    head: (): [AbortSignal, number | undefined, Headers] => {
      const time = remaining();
      return [
        signal,
        // For a transport, 0 means no deadline.
        time === undefined ? undefined : Math.min(Math.max(Math.ceil(time), 1), MAX_TIMEOUT),
        header,
      ];
    },
    retry: <T>(send: () => Promise<T>): Promise<T> => withRetries(send, toError, signal, remaining),
    fail: (thrown: unknown): never => {
      throw toError(thrown);
    },
    /** Passes on the messages and the metadata of a response. */
    async *relay(send: () => Promise<StreamResponse>): AsyncGenerator<Message> {
      try {
        const response = await send();
        copyMetadata(response.header, context.responseHeader);
        yield* response.message;
        copyMetadata(response.trailer, context.responseTrailer);
      } catch (thrown) {
        throw toError(thrown);
      }
    },
  };
}

/** The messages as a generator: the transport ends its input by `throw`, which not every iterable has. */
async function* each(messages: AsyncIterable<Message>): AsyncIterable<Message> {
  for await (const message of messages) {
    yield message;
  }
}

async function* only(message: Message): AsyncIterable<Message> {
  yield message;
}

/** The one message of a response. */
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
