import type { MessageInitShape } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { SERVICES } from "../../../../gen/services.js";
import type { VerifyOtpRequestSchema, VerifyOtpResponse } from "../../../../gen/utilitytools/v1/otp_pb.js";
import { type Call, TYPING_PAUSE, useCall } from "../../kit/use-call.js";
import { type ClockOffset, narrowOffset, stepMoment } from "./server-clock.js";
import { useNow } from "./use-now.js";

const VERIFY = SERVICES.otp.method.verifyOtp;

/** The codes of a secret as the service gives them, again and again. */
export interface Codes {
  readonly call: Call<typeof VERIFY.input, typeof VERIFY.output>;
  /** Undefined as long as there are none. */
  readonly answer: VerifyOtpResponse | undefined;
  /** Whole seconds until there are others. */
  readonly secondsLeft: number;
}

const TICK = 200;
/** An answer whose codes are still those of the step before is asked for again after this many milliseconds, so often. */
const RETRY = 300;
const MAX_RETRIES = 6;

/**
 * Asks for the codes of a secret at once, and whenever a time step begins by the service's clock. Which codes are valid is
 * thus always what the service says; the page's clock only decides when to ask.
 */
export function useCodes(request: MessageInitShape<typeof VerifyOtpRequestSchema>): Codes {
  const call = useCall(VERIFY);
  const { outcome, send, reset } = call;
  const now = useNow(TICK);
  const [offset, setOffset] = useState<ClockOffset>();
  const stale = useRef({ current: "", step: -1, retries: 0 });

  const isEmpty = (request.secret ?? "") === "";
  useEffect(() => {
    stale.current = { current: "", step: -1, retries: 0 };
    if (isEmpty) {
      reset();
    } else {
      send(request, TYPING_PAUSE);
    }
  }, [request, isEmpty, send, reset]);

  const answer = outcome?.ok === true ? outcome.value : undefined;
  useEffect(() => {
    if (answer !== undefined) {
      const { headers, sentAt, receivedAt } = answer;
      // Where a proxy drops the header, the browser's clock has to do.
      const date = headers.get("date") ?? new Date(performance.timeOrigin + sentAt).toUTCString();
      setOffset((known) => narrowOffset(known, { date, sentAt, receivedAt }));
    }
  }, [answer]);

  const message = answer?.message;
  const moment =
    offset === undefined || message === undefined ? undefined : stepMoment(offset, now, message.period);
  const step = moment?.step;
  const current = message?.otpCodes?.current;
  useEffect(() => {
    const last = stale.current;
    if (step === undefined || current === undefined) {
      return;
    }
    if (last.step === -1) {
      stale.current = { current, step, retries: 0 };
    } else if (step > last.step) {
      stale.current = { current, step, retries: MAX_RETRIES };
      send(request);
    } else if (last.retries > 0 && current !== last.current) {
      stale.current = { current, step, retries: 0 };
    } else if (last.retries > 0 && outcome !== undefined) {
      last.retries--;
      send(request, RETRY);
    }
    // `outcome` is new with each answer, also one with the same codes.
  }, [step, current, outcome, request, send]);

  return { call, answer: message, secondsLeft: moment?.secondsLeft ?? 0 };
}
