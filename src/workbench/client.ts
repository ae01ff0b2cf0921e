import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { Result } from "../result.js";
import { type CallError, readCallError } from "./kit/call-error.js";

/** What came back, and when: what a clock that goes by the server's needs. */
export interface CallAnswer<Input extends DescMessage, Output extends DescMessage> {
  readonly request: MessageShape<Input>;
  readonly message: MessageShape<Output>;
  readonly headers: Headers;
  /** On the page's clock that does not go back, in milliseconds. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Calls a method of the service. An error is a value; only a call that was broken off by its signal throws. */
export type CallMethod = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  init: MessageInitShape<Input>,
  signal: AbortSignal,
) => Promise<Result<CallAnswer<Input, Output>, CallError>>;

/** How long a call may take, in milliseconds. */
const TIMEOUT = 10_000;

/** Makes what calls the service at a base URL over Connect, with the API key of the moment. */
export function createCallMethod(baseUrl: string, apiKey: () => string): CallMethod {
  const transport: Transport = createConnectTransport({
    baseUrl,
    interceptors: [
      (next) => (request) => {
        const key = apiKey();
        if (key !== "") {
          request.header.set("Authorization", `Bearer ${key}`);
        }
        return next(request);
      },
    ],
  });
  return async (method, init, signal) => {
    const request = create(method.input, init);
    const sentAt = performance.now();
    try {
      const { message, header } = await transport.unary(method, signal, TIMEOUT, undefined, init);
      const answer = { request, message, headers: header, sentAt, receivedAt: performance.now() };
      return { ok: true, value: answer };
    } catch (thrown) {
      signal.throwIfAborted();
      return { ok: false, failure: readCallError(ConnectError.from(thrown)) };
    }
  };
}
