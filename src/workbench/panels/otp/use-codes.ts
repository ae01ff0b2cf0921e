import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  OtpService,
  VerifyOtpRequestSchema,
  VerifyOtpResponse,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Call, type CallResponse, TYPING_PAUSE, useCall } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { type ClockOffset, narrowOffset, stepOfResponse, stepPosition } from "./codes.js";

type Verify = typeof OtpService.method.verifyOtp;

const VERIFY = methodAt<Verify>("OtpService/VerifyOtp");

/** The current codes of a secret or a key URI. */
export interface Codes {
  readonly call: Call<Verify["input"], Verify["output"]>;
  /** Undefined until the first response, after an error, and while newer codes cannot be fetched. */
  readonly response: Plain<VerifyOtpResponse> | undefined;
  /** Whole seconds until the codes change. */
  readonly secondsLeft: number;
  /** Whether there is nothing to ask for: no usable secret. */
  readonly isIdle: boolean;
}

/** How often the countdown is updated, in milliseconds. */
const TICK = 200;
/** The delay before codes that may be of the previous step are fetched again, in milliseconds. */
const RETRY = 300;

/** The known clock offset of the service, and the time step that was fetched last. */
interface Fetched {
  readonly offset: ClockOffset;
  readonly period: number;
  readonly step: number;
}

/**
 * Fetches the codes of a secret at once, and again at each time step of the service. The service decides which codes are
 * valid; the clock of the page only decides when to fetch them.
 */
export function useCodes(request: MessageInitShape<typeof VerifyOtpRequestSchema>): Codes {
  const call = useCall(VERIFY);
  const { outcome, isLoading, violations, send, reset } = call;
  const now = useNow(TICK);
  const [fetched, setFetched] = useState<Fetched>();
  const lastSent = useRef(0);

  const isEmpty = (request.secret ?? "") === "" && (request.keyUri ?? "") === "";
  useEffect(() => {
    if (isEmpty) {
      reset();
    } else {
      lastSent.current = performance.now();
      send(request, TYPING_PAUSE);
    }
  }, [request, isEmpty, send, reset]);

  useEffect(() => {
    if (outcome?.ok === true) {
      setFetched((known) => afterResponse(known, outcome.value));
    } else if (outcome !== undefined) {
      // After an error, the next time step is early enough for another attempt.
      setFetched((known) => known && { ...known, step: known.step + 1 });
    }
  }, [outcome]);

  const position = fetched && stepPosition(fetched.offset, now, fetched.period);
  const isDue = position !== undefined && fetched !== undefined && position.step > fetched.step;
  // An invalid secret stays invalid: do not send it again.
  const canSend = !isEmpty && !isLoading && violations.length === 0;
  useEffect(() => {
    if (isDue && canSend && now - lastSent.current >= RETRY) {
      lastSent.current = now;
      send(request);
    }
  }, [isDue, canSend, now, request, send]);

  // For a second, the codes of the last step stay, so that nothing flickers while the next ones are fetched.
  const isOld = isDue && (position.step > fetched.step + 1 || position.secondsLeft < fetched.period - 1);
  const response = outcome?.ok === true && !isOld ? outcome.value.message : undefined;
  return { call, response, secondsLeft: position?.secondsLeft ?? 0, isIdle: isEmpty };
}

function afterResponse(
  known: Fetched | undefined,
  { message, headers, sentAt, receivedAt }: CallResponse<Verify["input"], Verify["output"]>,
): Fetched | undefined {
  // If a proxy removes the header, fall back to the browser's time of day.
  const date = headers.get("date") ?? new Date(performance.timeOrigin + sentAt).toUTCString();
  const offset = narrowOffset(known?.offset, { date, sentAt, receivedAt });
  const { period } = message;
  return offset && { offset, period, step: stepOfResponse(offset, sentAt, period) };
}

/** Returns `performance.now()`, updated every `interval` milliseconds while the page is visible. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const tick = () => document.hidden || setNow(performance.now());
    const timer = setInterval(tick, interval);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [interval]);
  return now;
}
