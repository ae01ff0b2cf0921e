import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { SERVICES } from "../../gen/services.js";
import { createUtilityToolsClient } from "../client/browser.js";
import type { UtilityToolsClient } from "../client/client-over.js";
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

/** A unary method of a client, whichever it is. */
type AnyMethod = (init: unknown, options: CallOptions) => Promise<unknown>;

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
      // The client answers with messages of the method that it was asked for.
      const message = (await call(init, { signal, onHeader })) as MessageShape<typeof method.output>;
      return { ok: true, value: { request, message, headers, sentAt, receivedAt: performance.now() } };
    } catch (thrown) {
      signal.throwIfAborted();
      return { ok: false, failure: readCallError(thrown) };
    }
  };
}

/** What a client has for a method. Throws an Error for a method of none of its services. */
function methodOf(client: UtilityToolsClient, { parent, localName }: DescMethodUnary): AnyMethod {
  for (const [name, service] of Object.entries(SERVICES)) {
    if (service === parent) {
      const methods = client[name as keyof typeof SERVICES] as Readonly<Record<string, unknown>>;
      return methods[localName] as AnyMethod;
    }
  }
  throw new Error(`the client has no ${parent.typeName}`);
}
