import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../result.js";
import type { CallAnswer } from "../client.js";
import { useSession } from "../session.js";
import type { CallError, FieldViolation } from "./call-error.js";

/** What came of the last call that came to an end; undefined before there was one. */
export type Outcome<Input extends DescMessage, Output extends DescMessage> =
  | Result<CallAnswer<Input, Output>, CallError>
  | undefined;

/** Calls of one method, of which only the latest counts. */
export interface Call<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  /** Whether a call is under way, or about to be. */
  readonly isLoading: boolean;
  /** Stays while the next call is under way, so that nothing flickers. */
  readonly outcome: Outcome<Input, Output>;
  /** What the last call said is wrong with the fields of its request. */
  readonly violations: readonly FieldViolation[];
  /**
   * Makes a call, after `delay` milliseconds in which no other is asked for; whatever call was under way is broken off.
   */
  readonly send: (request: MessageInitShape<Input>, delay?: number) => void;
  /** Breaks off what is under way, and forgets the outcome. */
  readonly reset: () => void;
}

/** A pause after which somebody who types is taken to have stopped, in milliseconds. */
export const TYPING_PAUSE = 200;

const NONE: readonly FieldViolation[] = [];

/** The calls of one method by one component; what is under way ends with it. */
export function useCall<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
): Call<Input, Output> {
  const { callMethod, onCallError } = useSession();
  const [isLoading, setLoading] = useState(false);
  const [outcome, setOutcome] = useState<Outcome<Input, Output>>(undefined);
  const underWay = useRef<AbortController>(undefined);

  const breakOff = useCallback(() => underWay.current?.abort(), []);
  useEffect(() => breakOff, [breakOff]);

  const run = useCallback(
    async (request: MessageInitShape<Input>, delay: number) => {
      breakOff();
      const controller = new AbortController();
      underWay.current = controller;
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
      setOutcome(result);
      setLoading(false);
      if (!result.ok) {
        onCallError(result.failure);
      }
    },
    [breakOff, callMethod, method, onCallError],
  );

  const send = useCallback(
    (request: MessageInitShape<Input>, delay = 0) => {
      void run(request, delay);
    },
    [run],
  );

  const reset = useCallback(() => {
    breakOff();
    setOutcome(undefined);
    setLoading(false);
  }, [breakOff]);

  const violations = outcome === undefined || outcome.ok ? NONE : outcome.failure.violations;
  return { method, isLoading, outcome, violations, send, reset };
}
