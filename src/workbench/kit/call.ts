import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../failures/result.js";
import { type CallResponse, type InvalidField, isServiceWide, type ShownError } from "./client.js";
import { useSession } from "./session.js";

/** The result of the last completed call; undefined before the first one. */
export type Outcome<Input extends DescMessage, Output extends DescMessage> =
  | Result<CallResponse<Input, Output>, ShownError>
  | undefined;

/** The calls of one method. Only the latest counts. */
export interface Call<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  /** Whether a call is running or scheduled, or waits until the service responds again. */
  readonly isLoading: boolean;
  /** Kept while the next call runs, to avoid flicker, and while the service does not respond. */
  readonly outcome: Outcome<Input, Output>;
  /** The field violations of the last call. */
  readonly violations: readonly InvalidField[];
  /**
   * Sends a request after `delay` milliseconds (default 0). Aborts the previous call, so that of several calls in quick
   * succession only the last is sent.
   */
  readonly send: (request: MessageInitShape<Input>, delay?: number) => void;
  /** Aborts the running call and clears the outcome. */
  readonly reset: () => void;
}

/** The delay before a request that follows typing, in milliseconds. */
export const TYPING_PAUSE = 200;

const NONE: readonly InvalidField[] = [];

/** Calls one method from a component. Unmounting the component aborts the running call. */
export function useCall<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
): Call<Input, Output> {
  const { callMethod, onCallEnd, retries } = useSession();
  const [isLoading, setLoading] = useState(false);
  const [outcome, setOutcome] = useState<Outcome<Input, Output>>(undefined);
  const running = useRef<AbortController>(undefined);
  /** The request to send again when the service responds. */
  const waiting = useRef<MessageInitShape<Input>>(undefined);

  const abort = useCallback(() => running.current?.abort(), []);
  useEffect(() => abort, [abort]);

  const run = useCallback(
    async (request: MessageInitShape<Input>, delay: number) => {
      abort();
      const controller = new AbortController();
      running.current = controller;
      waiting.current = undefined;
      setLoading(true);
      if (delay > 0) {
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
      if (controller.signal.aborted) {
        return;
      }
      const result = await callMethod(method, request, controller.signal).catch((thrown: unknown) => {
        if (!controller.signal.aborted) {
          throw thrown;
        }
        return undefined;
      });
      if (result === undefined || controller.signal.aborted) {
        return;
      }
      const failure = result.ok ? undefined : result.failure;
      onCallEnd(failure);
      if (failure !== undefined && isServiceWide(failure)) {
        waiting.current = request;
        return;
      }
      setOutcome(result);
      setLoading(false);
    },
    [abort, callMethod, method, onCallEnd],
  );
  useEffect(() => {
    if (retries > 0 && waiting.current !== undefined) {
      void run(waiting.current, 0);
    }
  }, [retries, run]);

  const send = useCallback(
    (request: MessageInitShape<Input>, delay = 0) => {
      void run(request, delay);
    },
    [run],
  );

  const reset = useCallback(() => {
    abort();
    waiting.current = undefined;
    setOutcome(undefined);
    setLoading(false);
  }, [abort]);

  const violations = outcome === undefined || outcome.ok ? NONE : outcome.failure.violations;
  return { method, isLoading, outcome, violations, send, reset };
}

/** Returns the message of the last successful call, also after a later call failed. */
export function useLastMessage<Output extends DescMessage>(
  outcome: Outcome<DescMessage, Output>,
): MessageShape<Output> | undefined {
  const [message, setMessage] = useState<MessageShape<Output>>();
  useEffect(() => {
    if (outcome?.ok === true) {
      setMessage(outcome.value.message);
    }
  }, [outcome]);
  return message;
}
