import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useCallback } from "preact/hooks";
import type { Result } from "../../../failures/result.js";
import { fromJsonNames, type Method, type Plain, toJsonNames } from "../../schema/schema.js";
import { useSession } from "../session.js";
import type { ShownError } from "./errors.js";
import { type Sending, useSend } from "./send.js";

export { TYPING_PAUSE, useRequest } from "./send.js";

/** A response with its request, its headers and its timing. */
export interface CallResponse<Input extends DescMessage, Output extends DescMessage> {
  readonly request: MessageInitShape<Input>;
  readonly message: Plain<MessageShape<Output>>;
  /** The response as it was received. */
  readonly json: object;
  readonly headers: Headers;
  /** When the request was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** When the response arrived, in milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

/** The result of the last completed call; undefined before the first one. */
export type Outcome<Input extends DescMessage, Output extends DescMessage> =
  | Result<CallResponse<Input, Output>, ShownError>
  | undefined;

/** The calls of one method. Only the latest counts. */
export interface Call<Input extends DescMessage, Output extends DescMessage>
  extends Sending<MessageInitShape<Input>, CallResponse<Input, Output>> {
  readonly method: Method<Input, Output>;
  /** The message of the response. */
  readonly message: Plain<MessageShape<Output>> | undefined;
}

/** Calls one method from a component. Unmounting the component aborts the running call. */
export function useCall<Input extends DescMessage, Output extends DescMessage>(
  method: Method<Input, Output>,
): Call<Input, Output> {
  const { callJson } = useSession();
  const call = useCallback(
    async (
      request: MessageInitShape<Input>,
      signal: AbortSignal,
    ): Promise<Result<CallResponse<Input, Output>, ShownError>> => {
      const sentAt = performance.now();
      let headers = new Headers();
      const result = await callJson<object>(method.path, toJsonNames(request), signal, (received) => {
        headers = received;
      });
      return result.ok
        ? {
            ok: true,
            value: responseOf(request, result.value, { headers, sentAt, receivedAt: performance.now() }),
          }
        : result;
    },
    [callJson, method],
  );
  const sending = useSend(call);
  return { method, message: sending.answer?.message, ...sending };
}

/** Reads a response in JSON. */
export function responseOf<Input extends DescMessage, Output extends DescMessage>(
  request: MessageInitShape<Input>,
  json: object,
  received: Pick<CallResponse<Input, Output>, "headers" | "sentAt" | "receivedAt">,
): CallResponse<Input, Output> {
  // The service returns what its schema says.
  return { request, json, message: fromJsonNames(json) as Plain<MessageShape<Output>>, ...received };
}
