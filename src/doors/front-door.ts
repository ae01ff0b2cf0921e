import { internalError } from "../rpc/guard.js";
import { RpcError } from "../rpc/rpc-error.js";
import { errorAnswer } from "../transcoding/answer.js";
import { splitTarget } from "../transcoding/request-path.js";
import type { ConnectDoor } from "./connect-door.js";
import { headerOf, isHttp2, type NodeHandler, type NodeRequest, type NodeResponse } from "./node-http.js";
import { requestOrigin } from "./request-origin.js";
import type { RestDoor } from "./rest-door.js";
import type { StaticDoor } from "./static-door.js";
import { writeAnswer } from "./write-answer.js";

/** What the front door stands on. */
export interface FrontDoorOptions {
  readonly rest: RestDoor;
  readonly pages: StaticDoor;
  readonly connect: ConnectDoor;
  /** How callers reach this service, if that is not what their requests say: no final slash. */
  readonly publicBaseUrl: string | undefined;
  /** Whether the server is stopping: HTTP/1.1 connections are asked to close. */
  readonly isStopping: () => boolean;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/**
 * Makes the handler of every request: method paths go to the door for gRPC, gRPC-Web and Connect, those of pages to
 * the static door, all else to the REST door. A request that cannot say where it goes is answered with 400 before any
 * library gets to see it, for connect-node throws on it where nothing can catch that. Nothing is ever thrown.
 */
export function createFrontDoor(options: FrontDoorOptions): NodeHandler {
  const { rest, pages, connect, publicBaseUrl, isStopping, reportBug } = options;

  function dispatch(request: NodeRequest, response: NodeResponse): void {
    const { authority, target } = requestOrigin(request);
    const baseUrl = publicBaseUrl ?? `http://${authority}`;
    const { path } = splitTarget(target);
    if (connect.serves(path)) {
      request.url = target;
      connect.handle(request, response, path, baseUrl);
    } else if (isGrpc(request)) {
      refuseGrpc(request, response);
    } else {
      const answered = pages.serves(path)
        ? pages.handle(request, response, path)
        : rest(request, response, { target, baseUrl });
      answered.catch((bug: unknown) => {
        reportBug(bug);
        response.destroy();
      });
    }
  }

  return (request, response) => {
    // A broken connection is the caller's business; without a listener it would be an uncaught exception.
    request.on("error", ignore);
    response.on("error", ignore);
    if (isStopping() && !isHttp2(request)) {
      response.setHeader("connection", "close");
    }
    try {
      dispatch(request, response);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) {
        reportBug(thrown);
      }
      writeAnswer(request, response, errorAnswer(thrown instanceof RpcError ? thrown : internalError()));
      request.resume();
    }
  };
}

function ignore(): void {}

function isGrpc(request: NodeRequest): boolean {
  return headerOf(request, "content-type")?.startsWith("application/grpc") ?? false;
}

/**
 * A gRPC call of a method that does not exist: HTTP 200 and status 12 (UNIMPLEMENTED) in the one and only header
 * block, which Node sends only where no head was written before the end.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#responses
 */
function refuseGrpc(request: NodeRequest, response: NodeResponse): void {
  response.setHeader("content-type", headerOf(request, "content-type") ?? "application/grpc");
  response.setHeader("grpc-status", "12");
  response.setHeader("grpc-message", "there is no such method");
  response.end();
  request.resume();
}
