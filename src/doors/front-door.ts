import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { internalError } from "../rpc/guard.js";
import { RpcError } from "../rpc/rpc-error.js";
import { errorAnswer } from "../transcoding/answer.js";
import type { ConnectDoor } from "./connect-door.js";
import type { ConnectLane } from "./connect-lane.js";
import type { Exchange } from "./exchange.js";
import { type GrpcLane, refuseUnknownMethod } from "./grpc-lane.js";
import { Http1Exchange } from "./http1-exchange.js";
import { Http2Exchange } from "./http2-exchange.js";
import { originReader } from "./origin.js";
import { toReply } from "./reply.js";
import type { RestDoor } from "./rest-door.js";
import type { StaticDoor } from "./static-door.js";

/** What the front door stands on. */
export interface FrontDoorOptions {
  readonly rest: RestDoor;
  readonly pages: StaticDoor;
  readonly grpcLane: GrpcLane;
  readonly connectLane: ConnectLane;
  readonly connect: ConnectDoor;
  /** How callers reach this service, if that is not what their requests say: no final slash. */
  readonly publicBaseUrl: string | undefined;
  /** Whether the server is stopping: HTTP/1.1 connections are asked to close. */
  readonly isStopping: () => boolean;
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
 * Makes the door that every request comes to. Those for a method's path go to a fast lane that takes them, or to the
 * door that speaks all of gRPC, gRPC-Web and Connect; those of pages to the static door, all else to the REST door.
 * A request that cannot say where it goes is answered with 400 before any library gets to see it, for connect-node throws
 * on it where nothing can catch that.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { rest, pages, grpcLane, connectLane, connect, isStopping, reportBug } = options;
  const originOf = originReader(options.publicBaseUrl);
  const compatibility = createCompatibility();

  function dispatch(exchange: Exchange): void {
    const origin = originOf(exchange);
    const { path, baseUrl } = origin;
    if (connect.serves(path)) {
      if (!grpcLane(exchange, path, baseUrl) && !connectLane(exchange, path, baseUrl)) {
        const { request, response } = exchange.toNode();
        connect.handle(request, response, path, baseUrl);
      }
    } else if (isGrpc(exchange)) {
      refuseUnknownMethod(exchange);
    } else if (pages.serves(path)) {
      pages.handle(exchange, path);
    } else {
      rest(exchange, origin);
    }
  }

  function handle(exchange: Exchange): void {
    try {
      dispatch(exchange);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) {
        reportBug(thrown);
      }
      exchange.respond(toReply(errorAnswer(thrown instanceof RpcError ? thrown : internalError())));
    }
  }

  return {
    http1: (request, response) => handle(new Http1Exchange(request, response, isStopping())),
    http2: (stream, headers, flags, rawHeaders) =>
      handle(new Http2Exchange(stream, headers, () => compatibility(stream, headers, flags, rawHeaders))),
  };
}

function isGrpc(exchange: Exchange): boolean {
  return (
    exchange.verb === "POST" && (exchange.header("content-type")?.startsWith("application/grpc") ?? false)
  );
}

/**
 * What makes requests and responses of the compatibility API of streams, which `node:http2` does for servers that
 * have a listener for requests: this one never listens, and is told of chosen streams alone.
 */
function createCompatibility() {
  const server = createServer();
  let made: { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse } | undefined;
  server.on("request", (request, response) => {
    made = { request, response };
  });
  return (...stream: Parameters<FrontDoor["http2"]>) => {
    made = undefined;
    server.emit("stream", ...stream);
    if (made === undefined) {
      throw new Error("node:http2 has made no request of a stream");
    }
    return made;
  };
}
