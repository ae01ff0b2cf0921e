import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../../failures/result.js";
import { fromJsonNames, type Method, type Plain, toJsonNames } from "../../schema/method.js";
import { useSession } from "../session.js";
import { type InvalidField, isServiceWide, type ShownError } from "./errors.js";

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
export interface Call<Input extends DescMessage, Output extends DescMessage> {
  readonly method: Method<Input, Output>;
  /** Whether a call is running or scheduled, or waits until the service responds again. */
  readonly isLoading: boolean;
  /**
   * The result of the last request. Undefined as soon as another request is sent, so that no answer is shown for another input; kept
   * while the same request is sent again, and while the service does not respond. See `AnswerPlace`.
   */
  readonly outcome: Outcome<Input, Output>;
  /** The value of the outcome. */
  readonly answer: CallResponse<Input, Output> | undefined;
  /** The message of the answer. */
  readonly message: Plain<MessageShape<Output>> | undefined;
  /** The error of the outcome. */
  readonly failure: ShownError | undefined;
  /** The field violations of the last completed call: a field keeps its error until it is checked again. */
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
  method: Method<Input, Output>,
): Call<Input, Output> {
  const { callJson, onCallEnd, retries } = useSession();
  const [isLoading, setLoading] = useState(false);
  const [outcome, setOutcome] = useState<Outcome<Input, Output>>();
  const [violations, setViolations] = useState(NONE);
  /** The request of the outcome, as text: callers make a new object for an equal request. */
  const answered = useRef("");
  const running = useRef<AbortController>(undefined);
  /** The request to send again when the service responds. */
  const waiting = useRef<MessageInitShape<Input>>(undefined);

  const abort = useCallback(() => {
    running.current?.abort();
    waiting.current = undefined;
  }, []);
  useEffect(() => abort, [abort]);

  const run = useCallback(
    async (request: MessageInitShape<Input>, delay: number) => {
      abort();
      const controller = new AbortController();
      const { signal } = controller;
      running.current = controller;
      setLoading(true);
      if (JSON.stringify(request) !== answered.current) {
        setOutcome(undefined);
      }
      if (delay > 0) {
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
      const sentAt = performance.now();
      let headers = new Headers();
      const keepHeaders = (received: Headers) => {
        headers = received;
      };
      // Throws only if it is aborted.
      const result = signal.aborted
        ? undefined
        : await callJson<object>(method.path, toJsonNames(request), signal, keepHeaders).catch(
            () => undefined,
          );
      if (result === undefined || signal.aborted) {
        return;
      }
      const failure = result.ok ? undefined : result.failure;
      onCallEnd(failure);
      if (failure !== undefined && isServiceWide(failure)) {
        waiting.current = request;
        return;
      }
      const received = { headers, sentAt, receivedAt: performance.now() };
      answered.current = JSON.stringify(request);
      setOutcome(result.ok ? { ok: true, value: responseOf(request, result.value, received) } : result);
      setViolations(failure?.violations ?? NONE);
      setLoading(false);
    },
    [abort, callJson, method, onCallEnd],
  );
  useEffect(() => {
    if (retries > 0 && waiting.current !== undefined) {
      void run(waiting.current, 0);
    }
  }, [retries, run]);

  const send = useCallback((request: MessageInitShape<Input>, delay = 0) => void run(request, delay), [run]);
  const reset = useCallback(() => {
    abort();
    setOutcome(undefined);
    setViolations(NONE);
    setLoading(false);
  }, [abort]);

  const answer = outcome?.ok === true ? outcome.value : undefined;
  const failure = outcome?.ok === false ? outcome.failure : undefined;
  return { method, isLoading, outcome, answer, message: answer?.message, failure, violations, send, reset };
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

/**
 * Calls one method whenever the request or `round` is another one, after `delay` milliseconds. Without a request, there is no outcome.
 */
export function useAnswer<Input extends DescMessage, Output extends DescMessage>(
  method: Method<Input, Output>,
  request: MessageInitShape<Input> | undefined,
  delay = 0,
  round = 0,
): Call<Input, Output> {
  const call = useCall(method);
  const { send, reset } = call;
  useEffect(
    () => (request === undefined ? reset() : send(request, delay)),
    // Callers make a new object for an equal request.
    [send, reset, JSON.stringify(request), delay, round],
  );
  return call;
}
