import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { FormatRejection, HeaderList } from "@utility-tools/http-server";
import { METHODS } from "@utility-tools/http-server/portable";
import { trustedProxies } from "#platform";
import { errorStatus, methodNotAllowed, rejected, tooManyUnreadResponses } from "../errors/http-error.js";
import { checkBinaryHeader } from "../errors/metadata.js";
import { createToError } from "../errors/to-error.js";
import { connectErrorResponse } from "../protocols/connect/error.js";
import { type CallHead, type CallProtocol, type Format, Refusal } from "../protocols/format.js";
import { rejectionResponse } from "../protocols/reject.js";
import { createErrorWriter } from "../protocols/rest/error.js";
import { createRestAcceptor } from "../protocols/rest/request.js";
import { type AcceptRpc, createRpcAcceptor } from "../protocols/rpc.js";
import { type OutgoingResponse, toOutgoing } from "../routes/encoding/representation.js";
import { createRouteTable } from "../routes/route-table.js";
import {
  collectMethods,
  registryOfFiles,
  type ServedMethod,
  servedMethods,
} from "../routes/served-methods.js";
import { type CallOptions, startCall } from "./call.js";
import { createCors } from "./http/cors.js";
import { Exchange, type ExchangeOptions, type HostRequest } from "./http/exchange.js";
import { createPageHandler, type ServePage } from "./http/pages.js";
import type { Relay } from "./http/raw-request.js";
import type { Protocol, RequestObserver } from "./http/request-record.js";
import { createUrlReader, type RequestUrl } from "./http/url.js";
import { createInvoker, type Invoke } from "./invoke.js";
import { type AdapterOptions, DEFAULT_CLIENT_ADDRESS_HEADER, readTranscodingOptions } from "./options.js";
import { settle } from "./settle.js";

/** Serves the requests that a host passes. */
export interface Adapter {
  serve(request: HostRequest): void;
  /** The HTTP methods that the routes need, and those that every server knows; undefined for all. */
  readonly httpMethods: ReadonlySet<string> | undefined;
  /** Formats a request that does not reach the adapter as an error. */
  readonly formatRejection: FormatRejection;
  /** Whether the requests of a method at a path are a stream of messages. */
  isRequestStream(path: string): boolean;
}

/** Milliseconds between two checks of a request that waits for memory, and their number. */
const MEMORY_CHECK_INTERVAL = 50;
const MEMORY_CHECKS = 20;

/** What is at a path that is no `google.api.http` route. */
type PathEntry =
  | {
      readonly kind: "method";
      readonly served: ServedMethod;
      readonly accept: AcceptRpc;
      readonly relay: Relay | undefined;
    }
  | { readonly kind: "page"; readonly serve: ServePage };

/** Creates the adapter of a host. Throws an Error if a rule contradicts its messages or another rule. */
export function createAdapter({
  routes,
  fallback,
  requestPathPrefix = "",
  contextValues,
  transcoding: given = {},
  ...routerOptions
}: AdapterOptions): Adapter {
  const transcoding = readTranscodingOptions(given);
  const { unknownParameters = "reject", observers = [], requestIds = false, onRequest, relay } = transcoding;
  const { onError = console.error, mapError, rules, methodOptions, unsupported, onUnsupported } = transcoding;
  const { json, systemParameters, updateMasks, unexpectedBodies, untypedBodies } = transcoding;
  const toError = createToError(transcoding.errorDomain ?? "", onError, mapError);
  const methods = servedMethods(
    collectMethods(routes, routerOptions),
    transcoding.maxRequestBytes,
    methodOptions,
  );
  const registry = transcoding.registry ?? registryOfFiles(methods.map(({ method }) => method.parent.file));
  const errors = createErrorWriter(transcoding.encodeError, onError, registry);
  const routeTable = createRouteTable(
    methods.map(({ method }) => method),
    {
      registry,
      unknownParameters,
      rules,
      methodOptions,
      unsupported,
      onUnsupported,
      json,
      systemParameters,
      updateMasks,
      unexpectedBodies,
      untypedBodies,
    },
  );
  const acceptRest = createRestAcceptor(routeTable, methods, requestPathPrefix, errors);
  const invokers = new Map<ServedMethod, Invoke>(
    methods.map((served) => [served, createInvoker(served.spec, served.options.interceptors ?? [])]),
  );
  const callOptions: CallOptions = {
    contextValues,
    toError,
    invokerOf: (served) => invokers.get(served) ?? createInvoker(served.spec, []),
  };
  // TRACE is known and not allowed anywhere: 405 (RFC 9110, section 15.5.6).
  const httpMethods = routeTable.httpMethods && new Set([...METHODS, "TRACE", ...routeTable.httpMethods]);
  const allowedMethods = [...new Set([...METHODS, ...(routeTable.httpMethods ?? [])])].join(", ");
  const paths = new Map<string, PathEntry>();
  for (const served of methods) {
    const accept = createRpcAcceptor(served, { unknownParameters, registry });
    const methodRelay = hasCallOptions(served) ? undefined : relay;
    paths.set(requestPathPrefix + served.path, { kind: "method", served, accept, relay: methodRelay });
  }
  for (const [path, page] of transcoding.pages ?? []) {
    paths.set(path, { kind: "page", serve: createPageHandler(page) });
  }
  const readUrl = createUrlReader(transcoding.publicBaseUrl, transcoding.checkHost);
  const { corsOrigins = [], trustedProxies: proxies = [] } = transcoding;
  const handleCors = corsOrigins.length === 0 ? undefined : createCors(corsOrigins);
  const exchangeOptions: ExchangeOptions = {
    proxies: proxies.length === 0 ? undefined : trustedProxies(proxies),
    clientAddressHeader: transcoding.clientAddressHeader ?? DEFAULT_CLIENT_ADDRESS_HEADER,
    newRequestId: () => crypto.randomUUID(),
    challenge: `Bearer realm="${(transcoding.errorDomain ?? "").replace(/[^\w.:/-]/g, "")}"`,
  };

  function receive(exchange: Exchange): void {
    const requestId = requestIds ? exchange.requestId : exchange.givenRequestId;
    if (requestId !== undefined) {
      exchange.addHeader("x-request-id", requestId);
    }
    const url = readUrl(exchange);
    const entry = paths.get(url.path);
    exchange.baseUrl = url.baseUrl;
    exchange.path = url.path;
    exchange.query = url.query;
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
      return;
    }
    if (exchange.request.problem !== undefined) {
      throw exchange.request.problem;
    }
    const { protocol } = exchange;
    if (entry?.kind === "page") {
      if (protocol === "page") {
        servePage(exchange, entry.serve);
        return;
      }
    } else if (protocol !== "page") {
      const accepted =
        entry === undefined ? acceptRoute(exchange, url) : acceptMethod(exchange, entry, protocol);
      if (accepted !== undefined) {
        startCall(callOptions, exchange, url.baseUrl, accepted);
        return;
      }
      if (exchange.isComplete || exchange.isRelayed) {
        return;
      }
    }
    if (fallback !== undefined) {
      fallback(exchange);
    } else {
      throw new ConnectError("unknown method", Code.Unimplemented);
    }
  }

  /** Returns undefined if the request has its response, or has no route. */
  function acceptRoute(exchange: Exchange, url: RequestUrl): Format | undefined {
    if (exchange.protocol !== "rest") {
      return undefined;
    }
    if (url.path === "*" && exchange.httpMethod === "OPTIONS") {
      // What the server supports as a whole (RFC 9110, section 9.3.7).
      exchange.respond(toOutgoing({ status: 204, headers: { allow: allowedMethods }, body: "" }));
      return undefined;
    }
    try {
      if (transcoding.methodOverride === true) {
        exchange.httpMethod = overriddenMethod(exchange);
      }
      const accepted = acceptRest(exchange, url.path);
      if ("status" in accepted) {
        exchange.respond(accepted);
        return undefined;
      }
      return accepted;
    } catch (thrown) {
      const error = toError(thrown, exchange);
      const status = errorStatus(error);
      const isUnknownMethod = (status === 404 || status === 405) && isConnect(exchange);
      if (fallback !== undefined && (status === 404 || isUnknownMethod)) {
        return undefined;
      }
      if (!isUnknownMethod) {
        throw error;
      }
      // Clients of Connect read the status 404 as `unimplemented`.
      exchange.protocol = "connect";
      exchange.code = Code.Unimplemented;
      const unknown = new ConnectError("unknown method", Code.Unimplemented);
      exchange.respond({ ...connectErrorResponse(unknown), status: 404 });
      return undefined;
    }
  }

  function servePage(exchange: Exchange, serve: ServePage): void {
    settle<OutgoingResponse>(
      () => serve(exchange),
      (response) => exchange.respond(response),
      (thrown) => fail(exchange, thrown),
    );
  }

  /** The method at the path of a request; undefined if there is none, or if it depends on the body. */
  function methodAt({ protocol, httpMethod, path, query }: Exchange): DescMethod | undefined {
    const entry = paths.get(path);
    if (entry !== undefined || protocol !== "rest" || !path.startsWith(requestPathPrefix)) {
      return entry?.kind === "method" ? entry.served.method : undefined;
    }
    try {
      const { methods: found } = routeTable.find(httpMethod, path.slice(requestPathPrefix.length), query);
      return found.length === 1 ? found[0] : undefined;
    } catch {
      return undefined;
    }
  }

  /** Responds with an error in the protocol of the request, before its body has been read. */
  function fail(exchange: Exchange, thrown: unknown): void {
    if (!exchange.isClosed) {
      // For observers: a request that `onRequest` rejects has not been routed.
      exchange.method ??= methodAt(exchange);
      const error = toError(thrown, exchange);
      exchange.code = error.code;
      exchange.respond(rejectionResponse(exchange, exchange.protocol, error, errors));
    }
  }

  return {
    serve: (request) => {
      const exchange = new Exchange(request, exchangeOptions);
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
        observe(exchange, observers);
      }
    },
    httpMethods,
    formatRejection: (rejection) => {
      const { headers, body } = errors.respond(toError(rejected(rejection)), undefined);
      return { headers, body: String(body) };
    },
    isRequestStream: (path) => {
      const entry = paths.get(path);
      return entry === undefined
        ? path.startsWith(requestPathPrefix) && routeTable.takesStream(path.slice(requestPathPrefix.length))
        : entry.kind === "method" && entry.served.takesStream;
    },
  };
}

/** The methods that a POST request can stand for. */
const OVERRIDES = ["GET", "PUT", "PATCH", "DELETE"];

/** The method of a request with `X-HTTP-Method-Override`. Throws a ConnectError (405) for one that POST cannot stand for. */
function overriddenMethod(head: CallHead): string {
  const { httpMethod } = head;
  const override = httpMethod === "POST" ? head.header("x-http-method-override") : undefined;
  if (override !== undefined && !OVERRIDES.includes(override.toUpperCase())) {
    throw methodNotAllowed(OVERRIDES);
  }
  return override?.toUpperCase() ?? httpMethod;
}

/** Calls `onEnd` of the observers when a request is over: its response is complete, or its client has disconnected. */
function observe(exchange: Exchange, observers: readonly RequestObserver[]): void {
  let isOver = false;
  const onOver = (): void => {
    if (!isOver) {
      isOver = true;
      exchange.conclude();
      for (const observer of observers) {
        observer.onEnd(exchange);
      }
    }
  };
  if (exchange.isComplete) {
    onOver();
    return;
  }
  // A closed connection no longer has the address of its client.
  exchange.remember();
  exchange.whenComplete(onOver);
  exchange.onClose(onOver);
}

/** Whether a method has options for calls in gRPC and gRPC-Web. A relay would ignore them. */
function hasCallOptions({ options }: ServedMethod): boolean {
  const { requestGate, interceptors = [], maxTimeoutMs, writeMaxBytes, grpc, grpcWeb } = options;
  return (
    [requestGate, maxTimeoutMs, writeMaxBytes].some((option) => option !== undefined) ||
    interceptors.length > 0 ||
    grpc === false ||
    grpcWeb === false
  );
}

/** Accepts a call of a method at its own path. Returns undefined if the request has its response, or a relay serves it. */
function acceptMethod(
  exchange: Exchange,
  { served, accept, relay }: Extract<PathEntry, { kind: "method" }>,
  protocol: CallProtocol,
): Format | undefined {
  exchange.method = served.method;
  if (protocol === "grpc" && exchange.request.hasNoTrailers === true) {
    throw new ConnectError(
      "this server cannot send the HTTP trailers of gRPC; use gRPC-Web or Connect",
      Code.Unimplemented,
    );
  }
  checkBinaryHeaders(exchange.request.headers.list);
  if (relay !== undefined && (protocol === "grpc" || protocol === "grpc-web")) {
    exchange.isRelayed = relay(exchange, served.method);
    if (exchange.isRelayed) {
      return undefined;
    }
  }
  const accepted = accept(exchange, protocol);
  if (!(accepted instanceof Refusal)) {
    return accepted;
  }
  exchange.code = accepted.code;
  exchange.respond(accepted.response);
  return undefined;
}

/** Whether a request that has no route is a call in Connect. https://connectrpc.com/docs/protocol */
function isConnect(head: CallHead): boolean {
  return (
    head.httpMethod === "POST" &&
    (head.header("connect-protocol-version") !== undefined ||
      /^application\/(?:proto\b|connect\+)/i.test(head.header("content-type") ?? ""))
  );
}

/** Throws a ConnectError (400) for metadata that is not base64. Over REST, this is checked once a handler reads the metadata. */
function checkBinaryHeaders(list: HeaderList): void {
  for (let index = 0; index < list.length; index += 2) {
    checkBinaryHeader(list[index] ?? "", list[index + 1] ?? "");
  }
}

/** Waits until the connection of a request holds fewer bytes. Rejects with a ConnectError if that takes too long. */
async function untilMemory(exchange: Exchange): Promise<void> {
  for (let checks = 0; exchange.isOverdrawn && !exchange.isClosed; checks++) {
    if (checks === MEMORY_CHECKS) {
      throw tooManyUnreadResponses();
    }
    await new Promise((resolve) => setTimeout(resolve, MEMORY_CHECK_INTERVAL));
  }
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
