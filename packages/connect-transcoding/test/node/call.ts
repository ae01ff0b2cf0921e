import {
  create,
  type DescMethod,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Answer, Call, ServiceImplementation } from "connect-transcoding";
import { messageOf } from "connect-transcoding";

/** A call as a handler gets it, of nobody in particular. */
export function testCall(method: DescMethod, overrides: Partial<Call> = {}): Call {
  return {
    method,
    baseUrl: "https://tools.example",
    callerAddress: "192.0.2.1",
    timeoutMs: undefined,
    signal: new AbortController().signal,
    header: () => undefined,
    headers: () => [],
    addHeader: () => {},
    addTrailer: () => {},
    ...overrides,
  };
}

/** Calls a unary method of a service, without a door, and gives what the handler gave. */
export async function answerOf<M extends DescMethodUnary>(
  { methods }: ServiceImplementation,
  method: M,
  request: MessageInitShape<M["input"]>,
  overrides: Partial<Call> = {},
): Promise<Answer<M>> {
  const implementation = methods.find((candidate) => candidate.method === method);
  if (implementation?.kind !== "unary") {
    throw new Error(`${method.name} is not implemented as a unary method`);
  }
  const message = create<DescMethodUnary["input"]>(method.input, request);
  // The implementation is that of M, so that its answer is one of M.
  return (await implementation.handler(message, testCall(method, overrides))) as Answer<M>;
}

/** Calls a unary method of a service, without a door. */
export async function callUnary<M extends DescMethodUnary>(
  service: ServiceImplementation,
  method: M,
  request: MessageInitShape<M["input"]>,
  overrides: Partial<Call> = {},
): Promise<MessageShape<M["output"]>> {
  const answer = await answerOf(service, method, request, overrides);
  // What is made of the descriptor of M is a message of M.
  return create<DescMethodUnary["output"]>(method.output, messageOf(answer)) as MessageShape<M["output"]>;
}
