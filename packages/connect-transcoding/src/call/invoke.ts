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
import type { CallContext } from "./context.js";

/** The request message, or all of them if the client streams. */
export type CallInput = Message | AsyncIterable<Message>;

/** The response message, or all of them if the server streams. */
export type CallOutput = MessageInit | AsyncIterable<MessageInit>;

/** Calls an implementation through its interceptors. Stays synchronous if it has none and the implementation is. */
export type Invoke = (input: CallInput, context: CallContext) => CallOutput | Promise<CallOutput>;

type AnyRequest = UnaryRequest | StreamRequest;
type AnyResponse = UnaryResponse | StreamResponse;

/** Creates the function that calls an implementation of any kind through interceptors, as connect-es does. */
export function createInvoker(
  { kind, method, impl }: MethodImplSpec,
  interceptors: readonly Interceptor[],
): Invoke {
  // The spec ties the input and the output to the kind, which the union of all kinds loses.
  const call = impl as (input: unknown, context: HandlerContext) => CallOutput | Promise<CallOutput>;
  if (interceptors.length === 0) {
    return call;
  }
  // Interceptors see a stream of one message where connect-es has one: in every kind but unary.
  const stream = kind !== "unary";
  const wrapsInput = kind === "server_streaming";
  const wrapsOutput = kind === "client_streaming";
  return async (input, context) => {
    const respond = async (request: AnyRequest): Promise<AnyResponse> => {
      const output = call(
        wrapsInput ? await onlyOf(request.message as AsyncIterable<Message>) : request.message,
        contextOf(context, request),
      );
      const message =
        kind === "unary" || wrapsOutput
          ? create<DescMessage>(method.output, (await output) as MessageInit)
          : created(method.output, output as AsyncIterable<MessageInit>);
      return {
        stream,
        method,
        message: wrapsOutput ? one(message as Message) : message,
        service: context.service,
        header: context.responseHeader,
        trailer: context.responseTrailer,
      } as AnyResponse;
    };
    // The first interceptor is the outermost.
    const next = interceptors.reduceRight<(request: AnyRequest) => Promise<AnyResponse>>(
      (inner, interceptor) => interceptor(inner),
      respond,
    );
    // Interceptors spread requests, so all properties are its own.
    const { header, trailer, message } = await next({
      stream,
      method,
      message: wrapsInput ? one(input as Message) : input,
      service: context.service,
      requestMethod: context.requestMethod,
      url: context.url,
      signal: context.signal,
      header: context.requestHeader,
      contextValues: context.values,
    } as AnyRequest);
    copyHeaders(header, context.responseHeader);
    if (!stream) {
      copyHeaders(trailer, context.responseTrailer);
      return message as Message;
    }
    const messages = thenAdopt(message as AsyncIterable<Message>, trailer, context);
    return wrapsOutput ? await onlyOf(messages) : messages;
  };
}

/** The context of a call whose request an interceptor may have replaced. */
function contextOf(context: HandlerContext, request: AnyRequest): HandlerContext {
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

async function* one(message: Message): AsyncIterable<Message> {
  yield message;
}

async function* created(desc: DescMessage, messages: AsyncIterable<MessageInit>): AsyncIterable<Message> {
  for await (const message of messages) {
    yield create(desc, message);
  }
}

/** Takes the trailers of interceptors after the last message: handlers that stream still add trailers until then. */
function thenAdopt(
  messages: AsyncIterable<Message>,
  trailer: Headers,
  context: CallContext,
): AsyncIterable<Message> {
  if (trailer === context.responseTrailer) {
    return messages;
  }
  return (async function* () {
    yield* messages;
    copyHeaders(trailer, context.responseTrailer);
  })();
}

/** Replaces headers in place: the handler, which may still run, has the same object. */
function copyHeaders(from: Headers, to: Headers): void {
  if (from === to) {
    return;
  }
  for (const name of [...to.keys()]) {
    to.delete(name);
  }
  for (const [name, value] of from) {
    to.append(name, value);
  }
}

/** Reads to the end, so that interceptors see it. */
async function onlyOf(messages: AsyncIterable<Message>): Promise<Message> {
  let last: Message | undefined;
  for await (const message of messages) {
    last = message;
  }
  if (last === undefined) {
    throw new Error("an interceptor has removed the message");
  }
  return last;
}
