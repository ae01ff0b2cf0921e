import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { UtilityToolsClient } from "@utility-tools/client";
import { createUtilityToolsClient, methodOf } from "@utility-tools/client";
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

/** Makes what calls the service at a base URL over Connect, with the API key of the moment. */
export function createCallMethod(baseUrl: string, apiKey: () => string): CallMethod {
  let client: UtilityToolsClient | undefined;
  let keyOfClient = "";

  function clientOfTheMoment(): UtilityToolsClient {
    const key = apiKey();
    if (client === undefined || key !== keyOfClient) {
      client = createUtilityToolsClient(baseUrl, key === "" ? {} : { apiKey: key });
      keyOfClient = key;
    }
    return client;
  }

  return async (method, init, signal) => {
    const request = create(method.input, init);
    const sentAt = performance.now();
    let headers = new Headers();
    try {
      const call = methodOf(clientOfTheMoment(), method);
      const onHeader = (received: Headers): void => {
        headers = received;
      };
      const message = await call(init, { signal, onHeader });
      return { ok: true, value: { request, message, headers, sentAt, receivedAt: performance.now() } };
    } catch (thrown) {
      signal.throwIfAborted();
      return { ok: false, failure: readCallError(thrown) };
    }
  };
}
