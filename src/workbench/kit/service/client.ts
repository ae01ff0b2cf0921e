import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  createUtilityToolsClient,
  methodOf,
  readError,
  type UtilityToolsClient,
} from "@utility-tools/client/browser";
import { codeName } from "connect-transcoding/rules";
import type { Result } from "../../../failures/result.js";
import type { ShownError } from "./errors.js";

export { type InvalidField, isServiceWide, type ShownError } from "./errors.js";

/** Converts the error that a call threw. */
export function readCallError(thrown: unknown): ShownError {
  const { code, ...rest } = readError(thrown);
  return { ...rest, code: codeName(code) };
}

/** A response with its request, its headers and its timing. */
export interface CallResponse<Input extends DescMessage, Output extends DescMessage> {
  readonly request: MessageShape<Input>;
  readonly message: MessageShape<Output>;
  readonly headers: Headers;
  /** When the request was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** When the response arrived, in milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

/** Calls a method of the service. Returns errors as values; throws only when `signal` aborts the call. */
export type CallMethod = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  init: MessageInitShape<Input>,
  signal: AbortSignal,
) => Promise<Result<CallResponse<Input, Output>, ShownError>>;

/**
 * Creates a function that calls the service over Connect.
 *
 * @param apiKey returns the current API key, or "" without one. Called once per request.
 */
export function createCallMethod(baseUrl: string, apiKey: () => string): CallMethod {
  let client: UtilityToolsClient | undefined;
  let keyOfClient = "";

  function currentClient(): UtilityToolsClient {
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
      const call = methodOf(currentClient(), method);
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
