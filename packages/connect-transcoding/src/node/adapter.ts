import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { Code } from "@connectrpc/connect";
import { RpcError } from "../errors/rpc-error.js";
import type { ConnectLane } from "./connect.js";
import { corsRule } from "./cors.js";
import {
  type Admission,
  type Area,
  admitAll,
  type Door,
  type Exchange,
  type ExchangeContext,
  type RequestObserver,
} from "./exchange.js";
import type { ConnectDoor } from "./fallback.js";
import type { GrpcLane } from "./grpc.js";
import { internalError } from "./handler-context.js";
import { type Origin, originReader } from "./host.js";
import { Http1Exchange } from "./http1-exchange.js";
import { Http2Exchange } from "./http2-exchange.js";
import type { StaticDoor } from "./pages.js";
import { refuse } from "./reject.js";
import type { RestDoor } from "./rest.js";

/** What the front door stands on. */
export interface FrontDoorOptions extends ExchangeContext {
  readonly rest: RestDoor;
  readonly pages: StaticDoor;
  readonly grpcLane: GrpcLane;
  readonly connectLane: ConnectLane;
  readonly connect: ConnectDoor;
  /** What requests for a path ask for; undefined for what a tool answers. */
  readonly areaOf: (path: string) => Area | undefined;
  /** Decides which requests may go on. */
  readonly admissions: readonly Admission[];
  /** Are told of every request. */
  readonly observers: readonly RequestObserver[];
  /** Origins whose pages may ask. */
  readonly corsOrigins: readonly string[];
  /** Whether answers to requests without an id say which one they were given. */
  readonly tellsRequestIds: boolean;
  /** How callers reach this service, if that is not what their requests say: no final slash. */
  readonly publicBaseUrl: string | undefined;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/** Takes every request. Nothing is ever thrown. */
export interface FrontDoor {
  /** One of `node:http`. */
  http1(request: IncomingMessage, response: ServerResponse): void;
  /** One of `node:http2`, as its servers announce streams. */
  http2(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]): void;
}

/**
 * Makes the door that every request comes to. What rules have nothing against goes on: requests for a method's path to a
 * fast lane that takes them, or to the door that speaks all of gRPC, gRPC-Web and Connect; those of pages to the static
 * door, all else to the REST door. A request that cannot say where it goes is answered with 400 before any library gets to
 * see it, for connect-node throws on it where nothing can catch that.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { rest, pages, grpcLane, connectLane, connect, areaOf, observers, reportBug } = options;
  const originOf = originReader(options.publicBaseUrl);
  const admit = options.admissions.length === 0 ? undefined : admitAll(options.admissions);
  const cors = options.corsOrigins.length === 0 ? undefined : corsRule(options.corsOrigins);
  const compatibility = createCompatibility();

  function receive(exchange: Exchange): void {
    const requestId = options.tellsRequestIds ? exchange.requestId : exchange.givenRequestId;
    if (requestId !== undefined) {
      exchange.addHeader("x-request-id", requestId);
    }
    const origin = originOf(exchange);
    const isMethod = connect.serves(origin.path);
    exchange.door = doorOf(exchange, isMethod, () => pages.serves(origin.path));
    exchange.area = areaOf(origin.path) ?? "service";
    if (cors?.(exchange) === true) {
      return;
    }
    const verdict = admit?.(exchange);
    if (verdict instanceof Promise) {
      verdict
        .then((error) => exchange.isClosed || settleVerdict(exchange, origin, isMethod, error))
        .catch((thrown: unknown) => fail(exchange, thrown));
    } else {
      settleVerdict(exchange, origin, isMethod, verdict);
    }
  }

  function settleVerdict(
    exchange: Exchange,
    origin: Origin,
    isMethod: boolean,
    error: RpcError | undefined,
  ): void {
    if (error === undefined) {
      dispatch(exchange, origin, isMethod);
    } else {
      refuse(exchange, error);
    }
  }

  function dispatch(exchange: Exchange, origin: Origin, isMethod: boolean): void {
    if (exchange.isClosed) {
      // Its caller broke off before anybody heard of it, and Node throws where such a stream is to be continued.
      return;
    }
    const { path, baseUrl } = origin;
    if (isMethod) {
      if (!grpcLane(exchange, path, baseUrl) && !connectLane(exchange, path, baseUrl)) {
        connect.handle(exchange, path, baseUrl);
      }
    } else if (exchange.door === "page") {
      pages.handle(exchange, path);
    } else if (exchange.door === "rest") {
      rest(exchange, origin);
    } else {
      refuse(exchange, unknownMethod());
    }
  }

  function fail(exchange: Exchange, thrown: unknown): void {
    if (!(thrown instanceof RpcError)) {
      reportBug(thrown);
    }
    refuse(exchange, thrown instanceof RpcError ? thrown : internalError());
  }

  function handle(exchange: Exchange): void {
    for (const observer of observers) {
      observer.started?.();
    }
    try {
      receive(exchange);
    } catch (thrown) {
      fail(exchange, thrown);
    }
    if (observers.length === 0) {
      return;
    }
    if (exchange.isComplete) {
      conclude(exchange);
    } else {
      // A connection that has gone no longer knows whose it was.
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
  }

  function conclude(exchange: Exchange): void {
    exchange.conclude();
    for (const observer of observers) {
      observer.ended(exchange);
    }
  }

  return {
    http1: (request, response) => handle(new Http1Exchange(request, response, options)),
    http2: (stream, headers, flags, rawHeaders) =>
      handle(
        new Http2Exchange(
          stream,
          headers,
          rawHeaders,
          () => compatibility(stream, headers, flags, rawHeaders),
          options,
        ),
      ),
  };
}

/** The protocol that a request is in. What is for a method's path and not gRPC is Connect's. */
function doorOf(exchange: Exchange, isMethod: boolean, isPage: () => boolean): Door {
  // Types have no case (RFC 9110, section 8.3.1), which connect-node knows too.
  const type = exchange.verb === "POST" ? exchange.header("content-type")?.toLowerCase() : undefined;
  if (type?.startsWith("application/grpc") === true) {
    return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
  }
  if (isMethod) {
    return "connect";
  }
  return isPage() ? "page" : "rest";
}

/** A gRPC call of a method that does not exist. */
function unknownMethod(): RpcError {
  return new RpcError({
    code: Code.Unimplemented,
    reason: "UNKNOWN_METHOD",
    message: "there is no such method",
    details: [],
  });
}

/**
 * What makes requests and responses of the compatibility API of streams, which `node:http2` does for servers that
 * have a listener for requests: this one never listens, and is told of chosen streams alone.
 */
function createCompatibility() {
  const server = createServer();
  let made: { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse } | undefined;
  const take = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    made = { request, response };
  };
  // An expectation that is not 100-continue has an event of its own; without a listener for it Node answers by itself.
  server.on("request", take).on("checkExpectation", take);
  return (...stream: Parameters<FrontDoor["http2"]>) => {
    made = undefined;
    server.emit("stream", ...stream);
    if (made === undefined) {
      throw new Error("node:http2 has made no request of a stream");
    }
    return made;
  };
}
