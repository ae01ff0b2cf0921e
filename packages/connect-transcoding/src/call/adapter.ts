import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { FormatRejection, HeaderList } from "@utility-tools/http-server";
import { METHODS } from "@utility-tools/http-server/portable";
import { errorStatus, methodNotAllowed, rejected, tooManyUnreadResponses } from "../errors/http-error.js";
import { checkBinaryHeader } from "../errors/metadata.js";
import { connectErrorResponse } from "../protocols/connect/error.js";
import { type CallHead, type CallProtocol, type Format, Refusal } from "../protocols/format.js";
import { rejectionResponse } from "../protocols/reject.js";
import { type OutgoingResponse, toOutgoing } from "../routes/encoding/representation.js";
import { startCall } from "./call.js";
import { Exchange, type HostRequest } from "./http/exchange.js";
import type { Protocol, RequestObserver } from "./http/request-record.js";
import type { AdapterOptions } from "./options.js";
import { settle } from "./settle.js";
import { createShared, exchangeOptionsOf, type PathEntry, type Shared } from "./shared.js";

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

/** Creates the adapter of a host. Throws an Error if a rule contradicts its messages or another rule. */
export function createAdapter(options: AdapterOptions): Adapter {
  const shared = createShared(options);
  const { routeTable, paths, prefix } = shared;
  const { observers = [] } = shared.options;
  const exchangeOptions = exchangeOptionsOf(shared.options);
  return {
    serve: (request) => {
      const exchange = new Exchange(request, exchangeOptions);
      for (const observer of observers) {
        observer.onStart?.();
      }
      exchange.start(() => {
        try {
          receive(shared, exchange);
        } catch (thrown) {
          fail(shared, exchange, thrown);
        }
      });
      if (observers.length > 0) {
        observe(exchange, observers);
      }
    },
    // TRACE is known and not allowed anywhere: 405 (RFC 9110, section 15.5.6).
    httpMethods: routeTable.httpMethods && new Set([...METHODS, "TRACE", ...routeTable.httpMethods]),
    formatRejection: (rejection) => {
      const { headers, body } = shared.errors.respond(shared.calls.toError(rejected(rejection)), undefined);
      return { headers, body: String(body) };
    },
    isRequestStream: (path) => {
      const entry = paths.get(path);
      return entry === undefined
        ? path.startsWith(prefix) && routeTable.takesStream(path.slice(prefix.length))
        : entry.kind === "method" && entry.served.takesStream;
    },
  };
}

/** Reads the URL and the protocol of a request, and dispatches it once `onRequest` has accepted it. */
function receive(shared: Shared, exchange: Exchange): void {
  const { requestIds = false, onRequest } = shared.options;
  const requestId = requestIds ? exchange.requestId : exchange.givenRequestId;
  if (requestId !== undefined) {
    exchange.addHeader("x-request-id", requestId);
  }
  const url = shared.readUrl(exchange);
  const entry = shared.paths.get(url.path);
  exchange.baseUrl = url.baseUrl;
  exchange.path = url.path;
  exchange.query = url.query;
  exchange.protocol = protocolOf(exchange, entry);
  if (shared.handleCors?.(exchange) === true) {
    return;
  }
  // No closures for the usual case, which is synchronous. The caller handles what is thrown.
  const pending = exchange.isOverdrawn
    ? untilMemory(exchange).then(() => onRequest?.(exchange))
    : onRequest?.(exchange);
  if (pending === undefined) {
    dispatch(shared, exchange, entry);
  } else {
    pending
      .then(() => exchange.turn())
      .then(() => dispatch(shared, exchange, entry))
      .catch((thrown: unknown) => fail(shared, exchange, thrown));
  }
}

/** Passes a request to a page, to a method or to the fallback. */
function dispatch(shared: Shared, exchange: Exchange, entry: PathEntry | undefined): void {
  if (exchange.isClosed) {
    return;
  }
  if (exchange.request.problem !== undefined) {
    throw exchange.request.problem;
  }
  const { protocol } = exchange;
  if (entry?.kind === "page") {
    if (protocol === entry.protocol) {
      settle<OutgoingResponse>(
        () => entry.serve(exchange),
        (response) => exchange.respond(response),
        (thrown) => fail(shared, exchange, thrown),
      );
      return;
    }
  } else if (protocol !== "page" && protocol !== "mcp") {
    const accepted =
      entry === undefined ? acceptRoute(shared, exchange) : acceptMethod(exchange, entry, protocol);
    if (accepted !== undefined) {
      startCall(shared.calls, exchange, exchange.baseUrl, accepted);
      return;
    }
    if (exchange.isComplete || exchange.isRelayed) {
      return;
    }
  }
  if (shared.fallback === undefined) {
    throw new ConnectError("unknown method", Code.Unimplemented);
  }
  shared.fallback(exchange);
}

/** Returns undefined if the request has its response, or has no route. */
function acceptRoute(shared: Shared, exchange: Exchange): Format | undefined {
  if (exchange.protocol !== "rest") {
    return undefined;
  }
  if (exchange.path === "*" && exchange.httpMethod === "OPTIONS") {
    // What the server supports as a whole (RFC 9110, section 9.3.7).
    const allow = [...new Set([...METHODS, ...(shared.routeTable.httpMethods ?? [])])].join(", ");
    exchange.respond(toOutgoing({ status: 204, headers: { allow }, body: "" }));
    return undefined;
  }
  try {
    if (shared.options.methodOverride === true) {
      exchange.httpMethod = overriddenMethod(exchange);
    }
    const accepted = shared.acceptRest(exchange, exchange.path);
    if ("status" in accepted) {
      exchange.respond(accepted);
      return undefined;
    }
    return accepted;
  } catch (thrown) {
    rejectRoute(shared, exchange, shared.calls.toError(thrown, exchange));
    return undefined;
  }
}

/** Handles a request that no route accepts. Throws the error unless the fallback receives the request, or a client of Connect has sent it. */
function rejectRoute({ fallback }: Shared, exchange: Exchange, error: ConnectError): void {
  const status = errorStatus(error);
  const isUnknownMethod = (status === 404 || status === 405) && isConnect(exchange);
  if (fallback !== undefined && (status === 404 || isUnknownMethod)) {
    return;
  }
  if (!isUnknownMethod) {
    throw error;
  }
  // Clients of Connect read the status 404 as `unimplemented`.
  exchange.protocol = "connect";
  exchange.code = Code.Unimplemented;
  const unknown = new ConnectError("unknown method", Code.Unimplemented);
  exchange.respond({ ...connectErrorResponse(unknown), status: 404 });
}

/** Responds with an error in the protocol of the request, before its body has been read. */
function fail(shared: Shared, exchange: Exchange, thrown: unknown): void {
  if (!exchange.isClosed) {
    // For observers: a request that `onRequest` rejects has not been routed.
    exchange.method ??= methodAt(shared, exchange);
    const error = shared.calls.toError(thrown, exchange);
    exchange.code = error.code;
    exchange.respond(rejectionResponse(exchange, exchange.protocol, error, shared.errors));
  }
}

/** The method at the path of a request; undefined if there is none, or if it depends on the body. */
function methodAt(
  { paths, prefix, routeTable }: Shared,
  { protocol, httpMethod, path, query }: Exchange,
): DescMethod | undefined {
  const entry = paths.get(path);
  if (entry !== undefined || protocol !== "rest" || !path.startsWith(prefix)) {
    return entry?.kind === "method" ? entry.served.method : undefined;
  }
  try {
    const { methods } = routeTable.find(httpMethod, path.slice(prefix.length), query);
    return methods.length === 1 ? methods[0] : undefined;
  } catch {
    return undefined;
  }
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
  let checks = 0;
  for (; exchange.isOverdrawn && !exchange.isClosed && checks < MEMORY_CHECKS; checks++) {
    await new Promise((resolve) => setTimeout(resolve, MEMORY_CHECK_INTERVAL));
  }
  await exchange.turn();
  if (checks === MEMORY_CHECKS && exchange.isOverdrawn) {
    throw tooManyUnreadResponses();
  }
}

/** The protocol of a request. A request for the path of a method that is not gRPC is Connect. */
function protocolOf(exchange: Exchange, entry: PathEntry | undefined): Protocol {
  // Media types are case-insensitive (RFC 9110, section 8.3.1).
  const type = exchange.httpMethod === "POST" ? exchange.header("content-type")?.toLowerCase() : undefined;
  if (type?.startsWith("application/grpc") === true) {
    return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
  }
  if (entry === undefined) {
    return "rest";
  }
  return entry.kind === "page" ? entry.protocol : "connect";
}
