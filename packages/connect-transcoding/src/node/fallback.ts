import {
  create,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type Registry,
} from "@bufbuild/protobuf";
import {
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalHandlerOptions } from "@connectrpc/connect/protocol";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { createJsonMessageWriter } from "../codec/json-writer.js";
import { createJsonMessageReader } from "../request/message-binder.js";
import { messageOf } from "../response/kept-response.js";
import { NO_SNIFFING } from "../response/representation.js";
import type { RequestLimit } from "../rules/method-options.js";
import type { Exchange } from "./exchange.js";
import { blameCaller, blameCallerIn, blamingCompression, noteOutcome } from "./fallback-response.js";
import { type Call, MAX_TIMER_MS } from "./handler-context.js";
import type { Answer, MethodImplementation, MethodTable } from "./methods.js";
import { endAsRpcErrors, toConnectError } from "./reject.js";
import { bodyOf, dropRest, headerIn, letGoOnceAnswered, type NodeRequest } from "./request-body.js";

/** What the door for gRPC, gRPC-Web and Connect stands on. */
export interface ConnectDoorOptions {
  readonly methods: MethodTable;
  readonly requestLimit: RequestLimit;
  /** What to do with fields of a JSON request that the message does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

/** gRPC, gRPC-Web and Connect over HTTP/1.1 and HTTP/2. */
export interface ConnectDoor {
  /** Whether a path is one of a method: `/package.Service/Method`. */
  serves(path: string): boolean;
  /** Answers a request for such a path. */
  handle(exchange: Exchange, path: string, baseUrl: string): void;
}

/** What the handler of a call needs to know of its request. */
interface Origin {
  readonly exchange: Exchange;
  readonly baseUrl: string;
  /** Whether a handler has been called. */
  isCalled: boolean;
}

const ORIGIN = createContextKey<Origin | undefined>(undefined, { description: "where a call comes from" });

/** Makes the door; connect-node speaks the protocols. */
export function createConnectDoor(options: ConnectDoorOptions): ConnectDoor {
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli].map(blamingCompression),
  });
  for (const implementation of options.methods.implementations) {
    register(router, implementation, {
      jsonOptions: jsonOptionsFor(implementation.method, options),
      readMaxBytes: options.requestLimit(implementation.method),
    });
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  function handle(exchange: Exchange, path: string, baseUrl: string): void {
    const handler = handlers.get(path);
    if (handler !== undefined) {
      exchange.method = handler.method;
      serve(handler, exchange, baseUrl);
    }
  }

  return { serves: (path) => handlers.has(path), handle };
}

function serve(handler: UniversalHandler, exchange: Exchange, baseUrl: string): void {
  if (exchange.door !== "grpc") {
    // Browsers know no gRPC; what is Connect's they load over GET as they do pages and scripts.
    exchange.addHeader(...NO_SNIFFING);
  }
  const { request, response } = exchange.toNode();
  dropEndlessTimeouts(request);
  const origin: Origin = { exchange, baseUrl, isCalled: false };
  const values = createContextValues().set(ORIGIN, origin);
  letGoOnceAnswered(request, response);
  handler({
    ...universalRequestFromNodeRequest(request, response, undefined, values),
    body: bodyOf(request),
  })
    // Not awaited: over HTTP/1.1 this promise stays pending after the response has ended.
    .then((universal) => {
      const answer = origin.isCalled ? universal : blameCallerIn(universal, exchange.door);
      const written = universalResponseToNodeResponse(noteOutcome(answer, exchange), response);
      if (exchange.verb === "HEAD") {
        // An answer that ends with its headers has no trailers, at which the rest is let go otherwise.
        dropRest(request);
      }
      return written;
    })
    .catch(() => {
      // Handlers are guarded and answer for themselves, so what is left is a connection that broke.
      response.destroy();
    });
}

/** connect-node sets timers to any time it is given, and to more than they can be set to they end at once. */
function dropEndlessTimeouts(request: NodeRequest): void {
  for (const [name, parse] of TIMEOUTS) {
    const value = headerIn(request.headers, request.rawHeaders, name) ?? null;
    if (Number(parse(value, MAX_TIMER_MS).timeoutMs) > MAX_TIMER_MS) {
      delete request.headers[name];
    }
  }
}

const TIMEOUTS = [
  ["grpc-timeout", parseGrpcTimeout],
  ["connect-timeout-ms", parseConnectTimeout],
] as const;

/**
 * How a method's messages are read and written as JSON. A request is read as it is over REST, for protobuf-es stops at the
 * first thing that is wrong and quotes it, and is handed to connect as the JSON text of what was read: the decoder is
 * the one place where connect lets others see the octets.
 */
function jsonOptionsFor({ input }: DescMethod, options: ConnectDoorOptions) {
  const { registry } = options;
  const read = createJsonMessageReader(input, options);
  const write = createJsonMessageWriter(input, registry);
  const textDecoder = {
    decode(octets: Uint8Array = new Uint8Array()): string {
      try {
        return write(read(octets));
      } catch (thrown) {
        throw toConnectError(thrown);
      }
    },
  };
  return { alwaysEmitImplicit: true, registry, textDecoder };
}

function register(
  router: ConnectRouter,
  implementation: MethodImplementation,
  options: Partial<UniversalHandlerOptions>,
): void {
  switch (implementation.kind) {
    case "unary": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodUnary> = single(method, handler);
      router.rpc(method, impl, options);
      return;
    }
    case "client_streaming": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodClientStreaming> = single(method, handler);
      router.rpc(method, impl, options);
      return;
    }
    case "server_streaming": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodServerStreaming> = (request, context) =>
        translateErrors(handler(request, toCall(context)), context);
      router.rpc(method, impl, options);
      return;
    }
    case "bidi_streaming": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodBiDiStreaming> = (requests, context) =>
        translateErrors(handler(requests, toCall(context)), context);
      router.rpc(method, impl, options);
      return;
    }
  }
}

/** What calls a handler that has one answer. */
function single<Input>(
  { output }: DescMethod,
  handler: (input: Input, call: Call) => Answer<DescMethod> | Promise<Answer<DescMethod>>,
) {
  return async (input: Input, context: HandlerContext) => {
    try {
      return create(output, messageOf(await handler(input, toCall(context))));
    } catch (thrown) {
      throw failed(thrown, context);
    }
  };
}

async function* translateErrors<T>(stream: AsyncIterable<T>, context: HandlerContext): AsyncIterable<T> {
  try {
    yield* stream;
  } catch (thrown) {
    throw failed(thrown, context);
  }
}

/** An error as connect knows it; the exchange is told. */
function failed(thrown: unknown, context: HandlerContext): unknown {
  const error = toConnectError(thrown);
  if (!(error instanceof ConnectError)) {
    return error;
  }
  const blamed = blameCaller(error);
  originOf(context).exchange.code = blamed.code;
  return blamed;
}

function originOf({ values }: HandlerContext): Origin {
  const origin = values.get(ORIGIN);
  if (origin === undefined) {
    throw new Error("a call has come past the door");
  }
  return origin;
}

function toCall(context: HandlerContext): Call {
  const { method, requestHeader, responseHeader, responseTrailer } = context;
  const origin = originOf(context);
  const { exchange, baseUrl } = origin;
  origin.isCalled = true;
  let signal: AbortSignal | undefined;
  return {
    method,
    baseUrl,
    callerAddress: exchange.callerAddress,
    timeoutMs: context.timeoutMs(),
    get signal() {
      signal ??= endAsRpcErrors(context.signal);
      return signal;
    },
    header: (name) => requestHeader.get(name) ?? undefined,
    headers: () => requestHeader,
    addHeader: (name, value) => responseHeader.append(name, value),
    addTrailer: (name, value) => responseTrailer.append(name, value),
  };
}
