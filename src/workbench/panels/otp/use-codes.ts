import type { MessageInitShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import {
  type OtpCodes,
  OtpCodesSchema,
  type VerifyOtpRequestSchema,
  type VerifyOtpResponse,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Call, TYPING_PAUSE, useCall } from "../../kit/call.js";
import type { CallResponse } from "../../kit/client.js";
import { CopyButton } from "../../kit/copy.js";
import { ErrorView } from "../../kit/exchange.js";
import { commentOf } from "../../kit/text.js";
import { type ClockOffset, matchCode, narrowOffset, stepOfResponse, stepPosition } from "./codes.js";

const VERIFY = SERVICES.otp.method.verifyOtp;

/** The current codes of a secret. */
export interface Codes {
  readonly call: Call<typeof VERIFY.input, typeof VERIFY.output>;
  /** Undefined until the first response, and after an error. */
  readonly response: VerifyOtpResponse | undefined;
  /** Whole seconds until the codes change. */
  readonly secondsLeft: number;
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

  const isEmpty = (request.secret ?? "") === "";
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

  const response = outcome?.ok === true ? outcome.value.message : undefined;
  return { call, response, secondsLeft: position?.secondsLeft ?? 0 };
}

function afterResponse(
  known: Fetched | undefined,
  { message, headers, sentAt, receivedAt }: CallResponse<typeof VERIFY.input, typeof VERIFY.output>,
): Fetched | undefined {
  // If a proxy removes the header, fall back to the browser's time of day.
  const date = headers.get("date") ?? new Date(performance.timeOrigin + sentAt).toUTCString();
  const offset = narrowOffset(known?.offset, { date, sentAt, receivedAt });
  const { period } = message;
  return offset && { offset, period, step: stepOfResponse(offset, sentAt, period) };
}

/** Returns `performance.now()`, updated every `interval` milliseconds while the page is visible. */
function useNow(interval: number): number {
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

/** The codes of a secret with a countdown, and a field to compare a code with them. */
export function CodesCard({ codes: { response, secondsLeft, call } }: { readonly codes: Codes }) {
  const { outcome, violations, isLoading } = call;
  const codes = response?.otpCodes;
  return (
    <section class="card card-body" aria-labelledby="codes">
      <h2 id="codes">Codes</h2>
      {response !== undefined && codes !== undefined && (
        <>
          <CodesView codes={codes} secondsLeft={secondsLeft} period={response.period} />
          <CodeCheck codes={codes} />
        </>
      )}
      {outcome?.ok === false && violations.length === 0 && <ErrorView error={outcome.failure} />}
      {codes === undefined && !isLoading && <p class="help">The codes of the secret appear here.</p>}
    </section>
  );
}

const { current, next, previous, secondPrevious } = OtpCodesSchema.field;

/** The codes around the current one, in order of time. */
const OTHERS = [
  { field: secondPrevious, codeOf: (codes: OtpCodes) => codes.secondPrevious },
  { field: previous, codeOf: (codes: OtpCodes) => codes.previous },
  { field: next, codeOf: (codes: OtpCodes) => codes.next },
];

interface CodesViewProps {
  readonly codes: OtpCodes;
  readonly secondsLeft: number;
  readonly period: number;
}

function CodesView({ codes, secondsLeft, period }: CodesViewProps) {
  return (
    <div class="codes">
      <div class="codes-current">
        <Countdown secondsLeft={secondsLeft} period={period} />
        <Code code={codes.current} />
        <CopyButton text={codes.current} what={`the ${current.jsonName} code`} />
      </div>
      <dl class="codes-others">
        {OTHERS.map(({ field, codeOf }) => (
          <div key={field.name}>
            <dt>{field.jsonName}</dt>
            <dd>
              <Code code={codeOf(codes)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A code in two halves, which are easier to read. */
function Code({ code }: { readonly code: string }) {
  const half = code.length / 2;
  return (
    <span class="otp-code">
      <span>{code.slice(0, half)}</span>
      <span>{code.slice(half)}</span>
    </span>
  );
}

/** The seconds left, in a ring. */
function Countdown({ secondsLeft, period }: Omit<CodesViewProps, "codes">) {
  return (
    <div class="ring" role="timer" aria-label="Seconds left">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <circle class="ring-track" cx="24" cy="24" r="21" />
        <circle
          class="ring-left"
          cx="24"
          cy="24"
          r="21"
          pathLength={1}
          stroke-dasharray="1"
          stroke-dashoffset={1 - secondsLeft / period}
          transform="rotate(-90 24 24)"
        />
      </svg>
      <span>{secondsLeft}</span>
    </div>
  );
}

/** Compares a code from the user's authenticator app with the codes of the service. */
function CodeCheck({ codes }: { readonly codes: OtpCodes }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const isComplete = typed.replaceAll(/\s/g, "").length >= codes.current.length;
  const match = isComplete ? matchCode(codes, typed) : undefined;
  return (
    <div class="field">
      <label for={id}>Code from your authenticator</label>
      <input
        id={id}
        class="control code"
        value={typed}
        inputMode="numeric"
        autocomplete="off"
        placeholder={codes.current.replaceAll(/./g, "•")}
        aria-describedby={`${id}-match`}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <p id={`${id}-match`} class={match === undefined ? "match" : "match good"} role="status">
        {isComplete && (match === undefined ? "Matches none of the four codes." : `✓ ${commentOf(match)}`)}
      </p>
    </div>
  );
}
