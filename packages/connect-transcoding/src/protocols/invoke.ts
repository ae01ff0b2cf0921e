import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type {
  HandlerContext,
  Interceptor,
  MethodImplSpec,
  StreamRequest,
  StreamResponse,
  UnaryRequest,
  UnaryResponse,
} from "@connectrpc/connect";
import type { MessageInit } from "../codec/message-field.js";

/** A unary implementation with its interceptors. Stays synchronous if it has none and the implementation is. */
export type InvokeUnary = (message: Message, context: HandlerContext) => MessageInit | Promise<MessageInit>;

/** A server-streaming implementation with its interceptors. */
export type InvokeServerStream = (message: Message, context: HandlerContext) => AsyncIterable<MessageInit>;

/** A client-streaming implementation with its interceptors. */
export type InvokeClientStream = (
  messages: AsyncIterable<Message>,
  context: HandlerContext,
) => Promise<MessageInit>;

type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;
type ServerStreamSpec = Extract<MethodImplSpec, { kind: "server_streaming" }>;
type ClientStreamSpec = Extract<MethodImplSpec, { kind: "client_streaming" }>;

/** Creates the function that calls a unary implementation through interceptors, as connect-es does. */
export function createUnaryInvoker(
  { method, impl }: UnarySpec,
  interceptors: readonly Interceptor[],
): InvokeUnary {
  if (interceptors.length === 0) {
    return impl;
  }
  return async (message, context) => {
    const respond = async (request: UnaryRequest | StreamRequest): Promise<UnaryResponse> => ({
      stream: false,
      method,
      message: create<DescMessage>(
        method.output,
        await impl((request as UnaryRequest).message, forRequest(context, request)),
      ),
      ...responseOf(context),
    });
    const next = intercept(respond, interceptors);
    const response = await next({ stream: false, method, message, ...requestOf(context) });
    copyHeaders(response.header, context.responseHeader);
    copyHeaders(response.trailer, context.responseTrailer);
    return (response as UnaryResponse).message;
  };
}

/** Creates the function that calls a server-streaming implementation through interceptors, as connect-es does. */
export function createServerStreamInvoker(
  { method, impl }: ServerStreamSpec,
  interceptors: readonly Interceptor[],
): InvokeServerStream {
  if (interceptors.length === 0) {
    return impl;
  }
  return async function* (message, context) {
    const respond = async (request: UnaryRequest | StreamRequest): Promise<StreamResponse> => {
      const messages = (request as StreamRequest).message;
      const stream = impl(await firstOf(messages), forRequest(context, request));
      return { stream: true, method, message: normalize(method.output, stream), ...responseOf(context) };
    };
    const next = intercept(respond, interceptors);
    const response = await next({ stream: true, method, message: only(message), ...requestOf(context) });
    copyHeaders(response.header, context.responseHeader);
    yield* (response as StreamResponse).message;
    copyHeaders(response.trailer, context.responseTrailer);
  };
}

/** Creates the function that calls a client-streaming implementation through interceptors, as connect-es does. */
export function createClientStreamInvoker(
  { method, impl }: ClientStreamSpec,
  interceptors: readonly Interceptor[],
): InvokeClientStream {
  if (interceptors.length === 0) {
    return impl;
  }
  return async (messages, context) => {
    const respond = async (request: UnaryRequest | StreamRequest): Promise<StreamResponse> => {
      const message = await impl((request as StreamRequest).message, forRequest(context, request));
      return {
        stream: true,
        method,
        message: only(create<DescMessage>(method.output, message)),
        ...responseOf(context),
      };
    };
    const next = intercept(respond, interceptors);
    const response = await next({ stream: true, method, message: messages, ...requestOf(context) });
    copyHeaders(response.header, context.responseHeader);
    const message = await lastOf((response as StreamResponse).message);
    copyHeaders(response.trailer, context.responseTrailer);
    return message;
  };
}

type AnyFn = ReturnType<Interceptor>;

/** The first interceptor is the outermost. */
function intercept(respond: AnyFn, interceptors: readonly Interceptor[]): AnyFn {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), respond);
}

function requestOf(context: HandlerContext) {
  return {
    service: context.service,
    requestMethod: context.requestMethod,
    url: context.url,
    signal: context.signal,
    header: context.requestHeader,
    contextValues: context.values,
  };
}

function responseOf(context: HandlerContext) {
  return { service: context.service, header: context.responseHeader, trailer: context.responseTrailer };
}

/** The context of a call whose request an interceptor may have replaced. */
function forRequest(context: HandlerContext, request: UnaryRequest | StreamRequest): HandlerContext {
  return {
    method: context.method,
    service: request.service,
    protocolName: context.protocolName,
    requestMethod: request.requestMethod,
    url: context.url,
    timeoutMs: context.timeoutMs,
    signal: request.signal,
    requestHeader: request.header,
    responseHeader: context.responseHeader,
    responseTrailer: context.responseTrailer,
    values: request.contextValues,
  };
}

function copyHeaders(from: Headers, to: Headers): void {
  if (from !== to) {
    for (const name of [...to.keys()]) {
      to.delete(name);
    }
    for (const [name, value] of from) {
      to.append(name, value);
    }
  }
}

async function* normalize(desc: DescMessage, messages: AsyncIterable<MessageInit>): AsyncIterable<Message> {
  for await (const message of messages) {
    yield create(desc, message);
  }
}

async function* only(message: Message): AsyncIterable<Message> {
  yield message;
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) {
    return message;
  }
  throw new Error("an interceptor has removed the request message");
}

/** Reads a stream to its end, so that interceptors see it. */
async function lastOf(messages: AsyncIterable<Message>): Promise<Message> {
  let last: Message | undefined;
  for await (const message of messages) {
    last = message;
  }
  if (last === undefined) {
    throw new Error("an interceptor has removed the response message");
  }
  return last;
}
