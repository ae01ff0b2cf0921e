import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import type { Call } from "../rpc/call.js";
import { internalError } from "../rpc/guard.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { ServiceImplementation, UnaryHandler } from "../rpc/service.js";
import { errorAnswer, type HttpAnswer } from "../transcoding/answer.js";
import type { BoundRequest } from "../transcoding/method-group.js";
import type { Route, Transcoder } from "../transcoding/transcoder.js";
import { headerOf, type NodeRequest, type NodeResponse } from "./node-http.js";
import { readBody } from "./request-body.js";
import { writeAnswer } from "./write-answer.js";

/** What the REST door stands on. */
export interface RestDoorOptions {
  readonly transcoder: Transcoder;
  /** Services whose handlers let only expected failures out. */
  readonly services: readonly ServiceImplementation[];
  /** The longest request body, in octets. */
  readonly maxBodyBytes: number;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/** Answers a request whose target and base URL are known. It never throws and always answers. */
export type RestDoor = (
  request: NodeRequest,
  response: NodeResponse,
  origin: { readonly target: string; readonly baseUrl: string },
) => Promise<void>;

/** Makes the door for plain JSON over HTTP: `google.api.http` routes, errors as AIP-193 has them. */
export function createRestDoor({ transcoder, services, maxBodyBytes, reportBug }: RestDoorOptions): RestDoor {
  const handlers = unaryHandlers(services);

  async function bindRequest(route: Route, request: NodeRequest): Promise<BoundRequest> {
    const body = await readBody(request, maxBodyBytes);
    return route.bind({
      body,
      contentType: headerOf(request, "content-type"),
      contentEncoding: headerOf(request, "content-encoding"),
    });
  }

  async function invoke(bound: BoundRequest, call: Call): Promise<HttpAnswer> {
    const handler = handlers.get(bound.method);
    if (handler === undefined) {
      throw new Error(`${bound.method.name} has a route and no handler`);
    }
    try {
      return bound.encode(create(bound.method.output, await handler(bound.message, call)));
    } catch (thrown) {
      throw thrown instanceof RpcError ? bound.spell(thrown) : thrown;
    }
  }

  async function answer(
    request: NodeRequest,
    response: NodeResponse,
    { target, baseUrl }: { target: string; baseUrl: string },
  ): Promise<HttpAnswer> {
    if (request.method === "OPTIONS") {
      const allow = transcoder.allowedMethods(target).join(", ");
      return { status: 204, headers: { allow }, body: "" };
    }
    const route = transcoder.find(request.method ?? "", target);
    try {
      const bound = await bindRequest(route, request);
      return await invoke(bound, createCall(bound.method, request, response, baseUrl));
    } catch (thrown) {
      return errorAnswer(toRpcError(thrown), route.headers);
    }
  }

  function toRpcError(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) {
      return thrown;
    }
    reportBug(thrown);
    return internalError();
  }

  return async (request, response, origin) => {
    let result: HttpAnswer;
    try {
      result = await answer(request, response, origin);
    } catch (thrown) {
      result = errorAnswer(toRpcError(thrown));
    }
    writeAnswer(request, response, result);
  };
}

function unaryHandlers(services: readonly ServiceImplementation[]) {
  const handlers = new Map<DescMethodUnary, UnaryHandler<DescMethodUnary>>();
  for (const implementation of services.flatMap(({ methods }) => methods)) {
    if (implementation.kind === "unary") {
      handlers.set(implementation.method, implementation.handler);
    }
  }
  return handlers;
}

function createCall(
  method: DescMethodUnary,
  request: NodeRequest,
  response: NodeResponse,
  baseUrl: string,
): Call {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return { method, baseUrl, signal: controller.signal, header: (name) => headerOf(request, name) };
}
