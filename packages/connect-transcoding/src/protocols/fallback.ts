import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
} from "@connectrpc/connect";
import type { Compression, UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { cancelled, deadlineExceeded } from "../errors/errors.js";
import type { Exchange } from "../node/exchange.js";
import { nothing, startingWith, writeChunks } from "../node/write-chunks.js";
import { compressBody, NO_SNIFFING } from "../response/representation.js";
import { type ConnectOptions, parseConnectTimeout } from "./connect.js";
import { oneMessageAtATime } from "./envelope.js";
import { observeOutcome } from "./fallback-outcome.js";
import { parseGrpcTimeout } from "./grpc.js";
import { acceptsText, toBinaryRequest, toTextResponse } from "./grpc-web-text.js";
import {
  callValues,
  MAX_TIMER_MS,
  removeInvalidHeaders,
  requestHeaders,
  toHeaderList,
} from "./handler-context.js";
import { reject } from "./reject.js";
import { createHandlers } from "./routes.js";
import { inTurns } from "./run-in-turns.js";
import type { ServedMethod } from "./served-methods.js";
import { malformedMessage, type ToError } from "./unary.js";

/** Serves a call of one method through connect-node, in every form of every protocol. */
export type Fallback = (exchange: Exchange, baseUrl: string) => void;

/** The exchange of a call, for the interceptor that every call passes. */
const exchangeKey = createContextKey<Exchange | undefined>(undefined, { description: "exchange" });

/** Creates the fallback of a method: streams, gRPC-Web, compression, Connect GET, gRPC over HTTP/1.1, unusual options. */
export function createFallback(
  { method, spec, options, maxRequestBytes, cacheControl }: ServedMethod,
  { unknownParameters, registry, contextValues, shutdownSignal }: ConnectOptions,
  toError: ToError,
): Fallback {
  const [handler] = createHandlers([
    {
      method,
      spec: withDeadline(spec, shutdownSignal),
      options: {
        acceptCompression: ACCEPT_COMPRESSION,
        ...options,
        readMaxBytes: maxRequestBytes,
        jsonOptions: {
          alwaysEmitImplicit: true,
          ignoreUnknownFields: unknownParameters === "ignore",
          registry,
          ...options.jsonOptions,
        },
        interceptors: [errorInterceptor(toError), ...(options.interceptors ?? [])],
      },
    },
  ]);
  if (handler === undefined) {
    throw new Error(`connect-es has made no handler for ${method.parent.typeName}.${method.name}`);
  }
  return (exchange, baseUrl) => {
    exchange.method = method;
    serve(handler, exchange, contextValues, baseUrl, cacheControl);
  };
}

/**
 * The compressions of connect-node, with two changes. It compresses with the highest quality of Brotli, which takes 30 ms of
 * processor time for 30 KB. It reports malformed compressed data as `INTERNAL`, which is the client's error.
 */
const ACCEPT_COMPRESSION: Compression[] = (
  [
    ["gzip", compressionGzip],
    ["br", compressionBrotli],
  ] as const
).map(([name, { decompress }]) => ({
  name,
  compress: (bytes) => compressBody(bytes, name),
  decompress: async (bytes, limit) => {
    try {
      return await decompress(bytes, limit);
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      throw error.code === Code.ResourceExhausted ? error : malformedMessage();
    }
  },
}));

/**
 * The memory of a call in connect-node, in bytes: 40 KiB of a stream that stays open, up to 90 of a busy one, and what is left of
 * others that have just ended.
 */
const CALL_BYTES = 128 * 1024;

function serve(
  handler: UniversalHandler,
  exchange: Exchange,
  contextValues: ((exchange: Exchange) => ContextValues) | undefined,
  baseUrl: string,
  cacheControl: string,
): void {
  const url = new URL(exchange.rawTarget, baseUrl);
  if (exchange.httpMethod === "GET" && !hasValidBase64(url.searchParams)) {
    reject(exchange, malformedMessage());
    return;
  }
  exchange.holdMemory(CALL_BYTES);
  if (exchange.protocol !== "grpc") {
    // Browsers do not speak gRPC, but they load Connect GET requests as they do pages.
    exchange.addHeader(...NO_SNIFFING);
  }
  const values = callValues(contextValues?.(exchange), exchange, baseUrl).set(exchangeKey, exchange);
  const closed = new AbortController();
  exchange.onClose(() => closed.abort(cancelled()));
  const request = toBinaryRequest({
    httpVersion: exchange.httpVersion,
    method: exchange.httpMethod,
    url: url.href,
    header: withoutEndlessTimeouts(requestHeaders(exchange)),
    body: exchange.bodyStream(),
    signal: closed.signal,
    contextValues: values,
  });
  const body = oneMessageAtATime(request.body, request.header.get("content-type") ?? "");
  handler({ ...request, body })
    .then(
      (response) => {
        if (exchange.httpMethod === "GET") {
          addCachingHeaders(response, cacheControl);
        }
        const observed = observeOutcome(response, exchange);
        return send(exchange, acceptsText(exchange) ? toTextResponse(observed) : observed);
      },
      () => rejectUnsendable(exchange),
    )
    // Handlers answer for their errors, so the connection is broken.
    .catch(() => exchange.destroy());
}

/** Adds the headers for caches to the response to a Connect GET request. connect-es compresses it as `Accept-Encoding` allows. */
function addCachingHeaders({ status, header }: UniversalServerResponse, cacheControl: string): void {
  if (cacheControl !== "" && !header?.has("cache-control")) {
    header?.set("cache-control", status === 200 ? cacheControl : "no-store");
  }
  header?.append("vary", "accept-encoding");
}

/** Whether the message of a Connect GET request is in base64 if it should be. connect-es reports `INTERNAL` otherwise. */
function hasValidBase64(query: URLSearchParams): boolean {
  if (query.get("base64") !== "1") {
    return true;
  }
  try {
    base64Decode(query.get("message") ?? "");
    return true;
  } catch {
    return false;
  }
}

/** Sends a response of connect-es. */
async function send(
  exchange: Exchange,
  { status, header, body = nothing(), trailer }: UniversalServerResponse,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  // The implementation may set headers until its first message.
  const first = await chunks.next();
  if (exchange.isClosed) {
    await chunks.return?.();
    return;
  }
  // connect-es closes HTTP/1.1 connections on which a client tries a bidirectional stream.
  header?.delete("connection");
  const target = exchange.open(status, header === undefined ? [] : toHeaderList(header));
  await writeChunks(target, startingWith(first, chunks), () => {
    if (trailer !== undefined) {
      exchange.setTrailers(toHeaderList(trailer));
    }
  });
}

/**
 * Replaces an error that connect-es cannot write: `encodeURIComponent` throws for an unpaired surrogate in a message, which
 * can come from a JSON request.
 */
function rejectUnsendable(exchange: Exchange): void {
  if (!exchange.isClosed) {
    const code = exchange.code ?? Code.InvalidArgument;
    const text = exchange.isCalled ? "the error message is not valid Unicode" : "the message is malformed";
    reject(exchange, new ConnectError(text, code));
  }
}

/** Deletes timeouts that exceed the maximum of a timer: connect-es's timers would expire at once. */
function withoutEndlessTimeouts(headers: Headers): Headers {
  for (const [name, parse] of TIMEOUTS) {
    const timeout = parse(headers.get(name) ?? undefined);
    if (typeof timeout === "number" && timeout > MAX_TIMER_MS) {
      headers.delete(name);
    }
  }
  return headers;
}

const TIMEOUTS = [
  ["grpc-timeout", parseGrpcTimeout],
  ["connect-timeout-ms", parseConnectTimeout],
] as const;

/** Converts everything that implementations and interceptors throw, and records the code of the error. */
function errorInterceptor(toError: ToError): Interceptor {
  return (next) => async (request) => {
    const { signal, method, contextValues } = request;
    const exchange = contextValues.get(exchangeKey);
    const fail = (thrown: unknown): ConnectError => {
      const endReason = signal.aborted ? ConnectError.from(signal.reason, Code.Canceled) : undefined;
      const error = toError(thrown, { method, endReason });
      if (exchange !== undefined) {
        exchange.code = error.code;
      }
      return error;
    };
    if (exchange !== undefined) {
      exchange.isCalled = true;
    }
    try {
      const response = await next(
        request.stream && exchange !== undefined
          ? { ...request, message: inTurns(request.message, exchange) }
          : request,
      );
      // Node would throw for an invalid header, when it is too late for an error response.
      const [error] = [response.header, response.trailer].flatMap(removeInvalidHeaders);
      if (error !== undefined) {
        throw error;
      }
      return response.stream ? { ...response, message: failingWith(response.message, fail) } : response;
    } catch (thrown) {
      throw fail(thrown);
    }
  };
}

async function* failingWith<T>(
  messages: AsyncIterable<T>,
  fail: (thrown: unknown) => ConnectError,
): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw fail(thrown);
  }
}

/**
 * Ends a call with a single response when its deadline expires, even if the implementation ignores its signal. Streams end
 * by their implementations. A shutdown aborts the signal as well, but calls may still respond.
 * https://grpc.io/docs/guides/deadlines/
 */
function withDeadline(spec: MethodImplSpec, shutdownSignal: AbortSignal | undefined): MethodImplSpec {
  const { kind } = spec;
  if (kind !== "unary" && kind !== "client_streaming") {
    return spec;
  }
  // The input is a message or a stream of messages, which the spec ties to its kind.
  const impl = spec.impl as (input: unknown, context: HandlerContext) => unknown;
  const bounded: typeof impl = async (input, context) => {
    try {
      return await untilAborted(impl(input, context), context.signal, shutdownSignal);
    } catch (thrown) {
      removeInvalidHeaders(context.responseHeader);
      removeInvalidHeaders(context.responseTrailer);
      throw thrown;
    }
  };
  return { ...spec, impl: bounded } as MethodImplSpec;
}

function untilAborted(
  response: unknown,
  signal: AbortSignal,
  shutdownSignal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (shutdownSignal?.aborted === true && signal.reason === shutdownSignal.reason) {
        return;
      }
      const reason = ConnectError.from(signal.reason, Code.Canceled);
      reject(reason.code === Code.DeadlineExceeded ? deadlineExceeded() : reason);
    };
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener("abort", onAbort);
    Promise.resolve(response)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
