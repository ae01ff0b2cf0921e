import type { MessageInitShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import type {
  VerifyOtpRequestSchema,
  VerifyOtpResponse,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallAnswer } from "../../client.js";
import { type Call, TYPING_PAUSE, useCall } from "../../kit/use-call.js";
import { answeredStep, type ClockOffset, narrowOffset, stepMoment } from "./server-clock.js";
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
/** Codes that may be of the step before are asked for again after this many milliseconds. */
const RETRY = 300;

/** What is known of the service's clock, and the step that was asked about last. */
interface Asked {
  readonly offset: ClockOffset;
  readonly period: number;
  readonly step: number;
}

/**
 * Asks for the codes of a secret at once, and whenever a time step begins by the service's clock. Which codes are valid is
 * thus always what the service says; the page's clock only decides when to ask.
 */
export function useCodes(request: MessageInitShape<typeof VerifyOtpRequestSchema>): Codes {
  const call = useCall(VERIFY);
  const { outcome, isLoading, violations, send, reset } = call;
  const now = useNow(TICK);
  const [asked, setAsked] = useState<Asked>();
  const lastAsked = useRef(0);

  const isEmpty = (request.secret ?? "") === "";
  useEffect(() => {
    if (isEmpty) {
      reset();
    } else {
      lastAsked.current = performance.now();
      send(request, TYPING_PAUSE);
    }
  }, [request, isEmpty, send, reset]);

  useEffect(() => {
    if (outcome?.ok === true) {
      setAsked((known) => afterAnswer(known, outcome.value));
    } else if (outcome !== undefined) {
      // The next step is soon enough to try again what has failed.
      setAsked((known) => known && { ...known, step: known.step + 1 });
    }
  }, [outcome]);

  const moment = asked && stepMoment(asked.offset, now, asked.period);
  const isDue = moment !== undefined && asked !== undefined && moment.step > asked.step;
  // What is wrong with a secret stays wrong.
  const isAskable = !isEmpty && !isLoading && violations.length === 0;
  useEffect(() => {
    if (isDue && isAskable && now - lastAsked.current >= RETRY) {
      lastAsked.current = now;
      send(request);
    }
  }, [isDue, isAskable, now, request, send]);

  const answer = outcome?.ok === true ? outcome.value.message : undefined;
  return { call, answer, secondsLeft: moment?.secondsLeft ?? 0 };
}

function afterAnswer(
  known: Asked | undefined,
  { message, headers, sentAt, receivedAt }: CallAnswer<typeof VERIFY.input, typeof VERIFY.output>,
): Asked | undefined {
  // Where a proxy drops the header, the browser's clock has to do.
  const date = headers.get("date") ?? new Date(performance.timeOrigin + sentAt).toUTCString();
  const offset = narrowOffset(known?.offset, { date, sentAt, receivedAt });
  const { period } = message;
  return offset && { offset, period, step: answeredStep(offset, sentAt, period) };
}
