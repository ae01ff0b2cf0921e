import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../../failures/result.js";
import { useSession } from "../session.js";
import { type InvalidField, isServiceWide, type ShownError } from "./errors.js";

/** Requests of one kind. Only the latest counts. */
export interface Sending<Request, Answer> {
  /** Whether a call is running or scheduled, or waits until the service responds again. */
  readonly isLoading: boolean;
  /**
   * The result of the last request. Undefined as soon as another request is sent, so that no answer is shown for another input; kept
   * while the same request is sent again, and while the service does not respond. See `AnswerPlace`.
   */
  readonly outcome: Result<Answer, ShownError> | undefined;
  /** The value of the outcome. */
  readonly answer: Answer | undefined;
  /** The error of the outcome. */
  readonly failure: ShownError | undefined;
  /** The field violations of the last completed call: a field keeps its error until it is checked again. */
  readonly violations: readonly InvalidField[];
  /**
   * Sends a request after `delay` milliseconds (default 0). Aborts the previous call, so that of several calls in quick
   * succession only the last is sent.
   */
  readonly send: (request: Request, delay?: number) => void;
  /** Aborts the running call and clears the outcome. */
  readonly reset: () => void;
}

/** The delay before a request that follows typing, in milliseconds. */
export const TYPING_PAUSE = 200;

const NONE: readonly InvalidField[] = [];

/**
 * Sends requests from a component. Unmounting the component aborts the running call.
 *
 * @param call sends one request; throws only when the signal aborts it. Must be the same function until its meaning changes.
 */
export function useSend<Request, Answer>(
  call: (request: Request, signal: AbortSignal) => Promise<Result<Answer, ShownError>>,
): Sending<Request, Answer> {
  const { onCallEnd, retries } = useSession();
  const [isLoading, setLoading] = useState(false);
  const [outcome, setOutcome] = useState<Result<Answer, ShownError>>();
  const [violations, setViolations] = useState(NONE);
  /** The request of the outcome, as text: callers make a new object for an equal request. */
  const answered = useRef("");
  const running = useRef<AbortController>(undefined);
  /** The request to send again when the service responds; wrapped, because a request may be undefined. */
  const waiting = useRef<{ readonly request: Request }>(undefined);

  const abort = useCallback(() => running.current?.abort(), []);
  useEffect(() => abort, [abort]);

  const run = useCallback(
    async (request: Request, delay: number) => {
      abort();
      const controller = new AbortController();
      running.current = controller;
      waiting.current = undefined;
      setLoading(true);
      if (JSON.stringify(request) !== answered.current) {
        setOutcome(undefined);
      }
      if (delay > 0) {
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
      if (controller.signal.aborted) {
        return;
      }
      const result = await call(request, controller.signal).catch((thrown: unknown) => {
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
        waiting.current = { request };
        return;
      }
      answered.current = JSON.stringify(request);
      setOutcome(result);
      setViolations(failure?.violations ?? NONE);
      setLoading(false);
    },
    [abort, call, onCallEnd],
  );
  useEffect(() => {
    if (retries > 0 && waiting.current !== undefined) {
      void run(waiting.current.request, 0);
    }
  }, [retries, run]);

  const send = useCallback((request: Request, delay = 0) => void run(request, delay), [run]);
  const reset = useCallback(() => {
    abort();
    waiting.current = undefined;
    setOutcome(undefined);
    setViolations(NONE);
    setLoading(false);
  }, [abort]);

  const answer = outcome?.ok === true ? outcome.value : undefined;
  const shown = outcome?.ok === false ? outcome.failure : undefined;
  return { isLoading, outcome, answer, failure: shown, violations, send, reset };
}

/** Sends a request after `delay` milliseconds whenever it or `round` is another one; undefined clears the outcome. */
export function useRequest<Request extends object>(
  { send, reset }: Pick<Sending<Request, unknown>, "send" | "reset">,
  request: Request | undefined,
  delay = 0,
  round = 0,
): void {
  useEffect(
    () => (request === undefined ? reset() : send(request, delay)),
    // Callers make a new object for an equal request.
    [send, reset, JSON.stringify(request), delay, round],
  );
}

/** Calls one method by its name in JSON whenever the request or `round` is another one; undefined clears the outcome. */
export function useJson<Answer>(
  method: string,
  request: object | undefined,
  round = 0,
): Sending<object, Answer> {
  const { callJson } = useSession();
  const call = useCallback(
    (sent: object, signal: AbortSignal) => callJson<Answer>(method, sent, signal),
    [callJson, method],
  );
  const sending = useSend(call);
  useRequest(sending, request, 0, round);
  return sending;
}
