import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { createRegistry, type DescMethod, type Registry } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
} from "@connectrpc/connect";
import { type FormatRejection, METHODS, type ServerRequest } from "one-port";
import { rejected, tooManyUnreadResponses } from "../errors/http-error.js";
import { createConnectFastPath } from "../protocols/connect.js";
import { createFallback, type Fallback } from "../protocols/fallback.js";
import { createGrpcFastPath, type FastPath } from "../protocols/grpc.js";
import { reject } from "../protocols/reject.js";
import { createRestAdapter } from "../protocols/rest.js";
import { collectMethods } from "../protocols/routes.js";
import { servedMethods } from "../protocols/served-methods.js";
import { createToError, settle } from "../protocols/unary.js";
import { toOutgoing } from "../response/representation.js";
import { encodeError } from "../response/response-encoder.js";
import type { HttpRules } from "../rules/http-rules.js";
import type { MaxRequestBytes, MethodOptions } from "../rules/method-options.js";
import { createRouteTable } from "../rules/route-table.js";
import { createCors } from "./cors.js";
import type {
  Exchange,
  ExchangeOptions,
  IncomingRequest,
  NodeExchange,
  Protocol,
  RequestObserver,
} from "./exchange.js";
import { createUrlReader, type RequestUrl } from "./host.js";
import { Http1Exchange } from "./http1-exchange.js";
import { Http2Exchange } from "./http2-exchange.js";
import { createPageHandler, type Page, type ServePage } from "./pages.js";
import type { NodeRequest, NodeResponse } from "./request-body.js";
import { ServerExchange } from "./server-exchange.js";
import { trustedProxies } from "./trusted-proxies.js";

/** Options of the adapter: those of `connectNodeAdapter`, and `transcoding`. */
export interface TranscodingAdapterOptions extends ConnectRouterOptions {
  /** Route definitions, as for `connectNodeAdapter`. */
  readonly routes: (router: ConnectRouter) => void;
  /** Handles requests for which there is no method, route or page. Default: an error in the protocol of the request. */
  readonly fallback?: NodeHandler | undefined;
  /** Serves methods and routes under this prefix, for example `/api`. Default: none. */
  readonly requestPathPrefix?: string | undefined;
  /** Context values to extract from the request. */
  readonly contextValues?: ((request: NodeRequest) => ContextValues) | undefined;
  readonly transcoding?: TranscodingOptions | undefined;
}

/** The options for requests of any server. */
export interface AdapterOptions extends Omit<TranscodingAdapterOptions, "fallback" | "contextValues"> {
  readonly fallback?: ((exchange: Exchange) => void) | undefined;
  /** Context values to extract from the request. */
  readonly contextValues?: ((request: IncomingRequest) => ContextValues) | undefined;
}

/** Options of JSON over HTTP, and options for all protocols. */
export interface TranscodingOptions {
  /** What to do with parameters that no method on the path has. Default: `reject`. */
  readonly unknownParameters?: "reject" | "ignore" | undefined;
  /** `google.api.http` rules that override those in proto files. An unknown `selector` throws an Error. */
  readonly rules?: HttpRules | undefined;
  /** Overrides the HTTP options of a method; undefined keeps those of its proto file. */
  readonly methodOptions?: MethodOptions | undefined;
  /** Overrides the `max_request_bytes` of a method; undefined keeps that of its proto file. */
  readonly maxRequestBytes?: MaxRequestBytes | undefined;
  /** Whether to throw for rules that cannot be served or that conflict, or to leave their routes out. Default: `throw`. */
  readonly unsupported?: "throw" | "skip" | undefined;
  /** Called with the method and the reason for each route that `skip` leaves out. */
  readonly onUnsupported?: ((method: DescMethod, error: Error) => void) | undefined;
  /** Resolves the types in `google.protobuf.Any`. Default: all types of the files of the services. */
  readonly registry?: Registry | undefined;
  /** The `domain` of `google.rpc.ErrorInfo` details that have none. Default: empty. */
  readonly errorDomain?: string | undefined;
  /** Pages and documents by their exact paths. */
  readonly pages?: ReadonlyMap<string, Page> | undefined;
  /**
   * Called when the headers of a request have been read, before its body: for example to check API keys. Throws a
   * ConnectError to reject the request. Stays synchronous if it returns no promise.
   */
  readonly onRequest?: ((request: IncomingRequest) => void | Promise<void>) | undefined;
  /** Observe every request, for logs and metrics. */
  readonly observers?: readonly RequestObserver[] | undefined;
  /** Called with unexpected exceptions, which the client sees as `INTERNAL` without their text. Default: `console.error`. */
  readonly onError?: ((error: unknown, method?: DescMethod) => void) | undefined;
  /** Overrides scheme and authority of requests in URLs; no final slash. */
  readonly publicBaseUrl?: string | undefined;
  /** IP addresses and CIDR blocks of proxies whose `X-Forwarded-*` headers are honored. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Origins whose pages may call the server, or `*` for all. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether to generate an ID for requests without one, and to return it as `X-Request-Id`. Default: false. */
  readonly requestIds?: boolean | undefined;
}

/** A handler for requests of Node's servers. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** The adapter with its entries for the servers that hand over requests. */
export interface TranscodingAdapter {
  /** Takes a request of `node:http`. */
  http1(request: IncomingMessage, response: ServerResponse): void;
  /** Takes a request of the compatibility API of `node:http2`. */
  http2(request: Http2ServerRequest, response: Http2ServerResponse): void;
  /** Takes a request of this project's HTTP server. */
  serve(request: ServerRequest): void;
  /** The HTTP methods that the routes need, and those that every server knows; undefined for all. */
  readonly httpMethods: ReadonlySet<string> | undefined;
  /** Formats a request that does not reach the adapter as an error. */
  readonly formatRejection: FormatRejection;
  /** Whether the requests of a method at a path are a stream of messages. */
  isRequestStream(path: string): boolean;
  /** Closes HTTP/1.1 connections after their next response from now on. */
  stop(): void;
}

/** Milliseconds between two checks of a request that waits for memory, and their number. */
const MEMORY_CHECK_INTERVAL = 50;
const MEMORY_CHECKS = 20;

/** What is at a path that is no `google.api.http` route. */
type PathEntry =
  | {
      readonly kind: "method";
      readonly fastPaths: readonly FastPath[];
      readonly fallback: Fallback;
      readonly isRequestStream: boolean;
    }
  | { readonly kind: "page"; readonly serve: ServePage };

/**
 * Creates a request handler for Node's HTTP servers, as `connectNodeAdapter` does, which also serves the methods by their
 * `google.api.http` rules. Unary gRPC and Connect calls bypass connect-node, which serves everything else.
 *
 * Throws an Error if a rule contradicts its messages or another rule.
 */
export function createTranscodingAdapter(options: TranscodingAdapterOptions): NodeHandler {
  const { fallback, contextValues } = options;
  // Requests of Node's servers have exchanges of their own.
  const adapter = createAdapter({
    ...options,
    fallback: fallback && ((exchange) => callFallback(exchange as NodeExchange, fallback)),
    contextValues: contextValues && ((exchange) => contextValues((exchange as NodeExchange).nodeRequest)),
  });
  return (request, response) => {
    if ("stream" in request) {
      adapter.http2(request, response as Http2ServerResponse);
    } else {
      adapter.http1(request, response as ServerResponse);
    }
  };
}

/** Creates the adapter for `createServer`. Throws an Error if a rule contradicts its messages or another rule. */
export function createAdapter({
  routes,
  fallback,
  requestPathPrefix = "",
  contextValues,
  transcoding = {},
  ...routerOptions
}: AdapterOptions): TranscodingAdapter {
  const { unknownParameters = "reject", observers = [], requestIds = false, onRequest } = transcoding;
  const toError = createToError(transcoding.errorDomain ?? "", transcoding.onError ?? console.error);
  const methods = servedMethods(
    collectMethods(routes, routerOptions),
    transcoding.maxRequestBytes,
    transcoding.methodOptions,
  );
  const registry =
    transcoding.registry ?? createRegistry(...new Set(methods.map(({ method }) => method.parent.file)));
  const shared = {
    contextValues,
    shutdownSignal: routerOptions.shutdownSignal,
    unknownParameters,
    registry,
  };
  const transcoder = createRouteTable(
    methods.map(({ method }) => method),
    {
      unknownParameters,
      registry,
      rules: transcoding.rules,
      methodOptions: transcoding.methodOptions,
      unsupported: transcoding.unsupported,
      onUnsupported: transcoding.onUnsupported,
    },
  );
  const rest = createRestAdapter(transcoder, methods, shared, toError, {
    prefix: requestPathPrefix,
    fallback,
  });
  // TRACE is known and not allowed anywhere: 405 (RFC 9110, section 15.5.6).
  const httpMethods = transcoder.httpMethods && new Set([...METHODS, "TRACE", ...transcoder.httpMethods]);
  const allowedMethods = [...new Set([...METHODS, ...(transcoder.httpMethods ?? [])])].join(", ");
  const paths = new Map<string, PathEntry>();
  for (const served of methods) {
    const fastPaths = [
      createGrpcFastPath(served, shared, toError),
      createConnectFastPath(served, shared, toError),
    ];
    paths.set(requestPathPrefix + served.path, {
      kind: "method",
      fastPaths: fastPaths.filter((each) => each !== undefined),
      fallback: createFallback(served, shared, toError),
      isRequestStream: served.spec.kind === "client_streaming" || served.spec.kind === "bidi_streaming",
    });
  }
  for (const [path, page] of transcoding.pages ?? []) {
    paths.set(path, { kind: "page", serve: createPageHandler(page) });
  }
  const readUrl = createUrlReader(transcoding.publicBaseUrl);
  const { corsOrigins = [], trustedProxies: proxies = [] } = transcoding;
  const handleCors = corsOrigins.length === 0 ? undefined : createCors(corsOrigins);
  let isStopping = false;
  const exchangeOptions: ExchangeOptions = {
    proxies: proxies.length === 0 ? undefined : trustedProxies(proxies),
    isStopping: () => isStopping,
    newRequestId: randomUUID,
  };

  function receive(exchange: Exchange): void {
    const requestId = requestIds ? exchange.requestId : exchange.givenRequestId;
    if (requestId !== undefined) {
      exchange.addHeader("x-request-id", requestId);
    }
    const url = readUrl(exchange);
    const entry = paths.get(url.path);
    exchange.path = url.path;
    exchange.protocol = protocolOf(exchange, entry?.kind);
    if (handleCors?.(exchange) === true) {
      return;
    }
    // No closures for the usual case, which is synchronous. The caller handles what is thrown.
    const pending = exchange.isOverdrawn
      ? untilMemory(exchange).then(() => onRequest?.(exchange))
      : onRequest?.(exchange);
    if (pending === undefined) {
      dispatch(exchange, url, entry);
    } else {
      pending.then(() => dispatch(exchange, url, entry)).catch((thrown: unknown) => fail(exchange, thrown));
    }
  }

  function dispatch(exchange: Exchange, url: RequestUrl, entry: PathEntry | undefined): void {
    if (exchange.isClosed) {
      // The client has disconnected meanwhile; Node throws if such a stream is continued.
      return;
    }
    exchange.checkTransferCodings();
    if (entry?.kind === "method") {
      if (!entry.fastPaths.some((serve) => serve(exchange, url.baseUrl))) {
        entry.fallback(exchange, url.baseUrl);
      }
    } else if (exchange.protocol === "page" && entry !== undefined) {
      servePage(exchange, entry.serve);
    } else if (url.path === "*" && exchange.httpMethod === "OPTIONS") {
      // What the server supports as a whole (RFC 9110, section 9.3.7).
      exchange.respond(toOutgoing({ status: 204, headers: { allow: allowedMethods }, body: "" }));
    } else if (exchange.protocol === "rest") {
      rest(exchange, url);
    } else if (fallback !== undefined) {
      fallback(exchange);
    } else {
      reject(exchange, new ConnectError("unknown method", Code.Unimplemented));
    }
  }

  function servePage(exchange: Exchange, serve: ServePage): void {
    settle(
      () => serve(exchange),
      (response) => exchange.respond(response),
      (thrown) => fail(exchange, thrown),
    );
  }

  function fail(exchange: Exchange, thrown: unknown): void {
    if (!exchange.isClosed) {
      reject(exchange, toError(thrown, exchange));
    }
  }

  function handle(exchange: Exchange): void {
    for (const observer of observers) {
      observer.onStart?.();
    }
    exchange.start(() => {
      try {
        receive(exchange);
      } catch (thrown) {
        fail(exchange, thrown);
      }
    });
    if (observers.length > 0) {
      observe(exchange);
    }
  }

  function observe(exchange: Exchange): void {
    if (exchange.isComplete) {
      conclude(exchange);
      return;
    }
    // A closed connection no longer has the address of its client.
    exchange.remember();
    let isOver = false;
    const onOver = (): void => {
      if (!isOver) {
        isOver = true;
        conclude(exchange);
      }
    };
    exchange.whenComplete(onOver);
    exchange.onClose(onOver);
  }

  function conclude(exchange: Exchange): void {
    exchange.conclude();
    for (const observer of observers) {
      observer.onEnd(exchange);
    }
  }

  return {
    http1: (request, response) => handle(new Http1Exchange(request, response, exchangeOptions)),
    http2: (request, response) => handle(new Http2Exchange(request, response, exchangeOptions)),
    serve: (request) => handle(new ServerExchange(request, exchangeOptions)),
    httpMethods,
    formatRejection: (rejection) => {
      const { headers, body } = toOutgoing(encodeError(toError(rejected(rejection))));
      return { headers, body: String(body) };
    },
    isRequestStream: (path) => {
      const entry = paths.get(path);
      return entry === undefined
        ? path.startsWith(requestPathPrefix) && transcoder.takesStream(path.slice(requestPathPrefix.length))
        : entry.kind === "method" && entry.isRequestStream;
    },
    stop: () => {
      isStopping = true;
    },
  };
}

/** Waits until the connection of a request holds fewer bytes. Rejects with a ConnectError if that takes too long. */
async function untilMemory(exchange: Exchange): Promise<void> {
  for (let checks = 0; exchange.isOverdrawn && !exchange.isClosed; checks++) {
    if (checks === MEMORY_CHECKS) {
      throw tooManyUnreadResponses();
    }
    await wait(MEMORY_CHECK_INTERVAL);
  }
}

function callFallback(exchange: NodeExchange, fallback: NodeHandler): void {
  const { request, response } = exchange.toNode();
  response.once("finish", () => {
    exchange.begun(response.statusCode);
    exchange.complete();
  });
  fallback(request, response);
}

/** The protocol of a request. A request for the path of a method that is not gRPC is Connect. */
function protocolOf(exchange: Exchange, kind: PathEntry["kind"] | undefined): Protocol {
  // Media types are case-insensitive (RFC 9110, section 8.3.1).
  const type = exchange.httpMethod === "POST" ? exchange.header("content-type")?.toLowerCase() : undefined;
  if (type?.startsWith("application/grpc") === true) {
    return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
  }
  switch (kind) {
    case "method":
      return "connect";
    case "page":
      return "page";
    default:
      return "rest";
  }
}
