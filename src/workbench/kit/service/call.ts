import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { useCallback } from "preact/hooks";
import type { Result } from "../../../failures/result.js";
import { useSession } from "../session.js";
import type { CallResponse } from "./client.js";
import type { ShownError } from "./errors.js";
import { type Sending, useSend } from "./send.js";

export { TYPING_PAUSE } from "./send.js";

/** The result of the last completed call; undefined before the first one. */
export type Outcome<Input extends DescMessage, Output extends DescMessage> =
  | Result<CallResponse<Input, Output>, ShownError>
  | undefined;

/** The calls of one method. Only the latest counts. */
export interface Call<Input extends DescMessage, Output extends DescMessage>
  extends Sending<MessageInitShape<Input>, CallResponse<Input, Output>> {
  readonly method: DescMethodUnary<Input, Output>;
}

/** Calls one method from a component. Unmounting the component aborts the running call. */
export function useCall<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
): Call<Input, Output> {
  const { callMethod } = useSession();
  const call = useCallback(
    (request: MessageInitShape<Input>, signal: AbortSignal) => callMethod(method, request, signal),
    [callMethod, method],
  );
  return { method, ...useSend(call) };
}
