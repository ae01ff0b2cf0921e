import { useCallback } from "preact/hooks";
import { useSession } from "../session.js";
import { type Sending, useSend } from "./send.js";

/** Calls one method by its name from a component. Unmounting the component aborts the running call. */
export function useJson<Answer>(method: string): Sending<object, Answer> {
  const { callJson } = useSession();
  const call = useCallback(
    (request: object, signal: AbortSignal) => callJson<Answer>(method, request, signal),
    [callJson, method],
  );
  return useSend(call);
}
