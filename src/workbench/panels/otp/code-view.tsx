import type { OtpCodes } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { useCopy } from "../../kit/copy.js";
import { Icon } from "../../kit/icon.js";
import type { Plain } from "../../schema/method.js";
import type { Codes } from "./use-codes.js";

interface CurrentCodeProps {
  readonly codes: Codes;
  /** Whether a secret is entered, which may be wrong. */
  readonly hasSecret: boolean;
}

/** The current code of a secret with its countdown, and the codes around it. A click copies the code. */
export function CurrentCode({ codes: { call, response, secondsLeft, isIdle }, hasSecret }: CurrentCodeProps) {
  const { otpCodes, period = 0 } = response ?? {};
  const { failure, violations } = call;
  const isWrong = failure !== undefined;
  return (
    <section class="card card-body otp-now" aria-labelledby="otp-now">
      <div class="row spread">
        <h2 id="otp-now">Current code</h2>
        {otpCodes !== undefined && <span class="meta">changes every {period} seconds</span>}
      </div>
      <AnswerPlace
        isWaiting={otpCodes === undefined}
        hint={
          isIdle || (isWrong && violations.length > 0)
            ? `${hasSecret ? "Correct" : "Enter"} the ${hasSecret ? "account" : "secret"} to see its code.`
            : undefined
        }
      >
        {otpCodes !== undefined && (
          <div class="stack">
            <div class="row codes-current">
              <CodeButton code={otpCodes.current} />
              <Countdown secondsLeft={secondsLeft} period={period} />
            </div>
            <OtherCodes codes={otpCodes} />
          </div>
        )}
      </AnswerPlace>
      {isWrong && violations.length === 0 && <ErrorView error={failure} />}
    </section>
  );
}

/** The code as a large button that copies it. */
function CodeButton({ code }: { readonly code: string }) {
  const { feedback, copy } = useCopy(code, "the current code");
  return (
    <button type="button" class="quiet otp-copy" onClick={copy} aria-label={`Copy the current code ${code}`}>
      <Code code={code} />
      <span class="otp-copy-note">{feedback === "" ? <Icon name="copy" /> : feedback}</span>
    </button>
  );
}

/** A code in two halves, which are easier to read. */
export function Code({ code }: { readonly code: string }) {
  const half = code.length / 2;
  return (
    <span class="otp-code numbers">
      <span>{code.slice(0, half)}</span>
      <span>{code.slice(half)}</span>
    </span>
  );
}

/** The seconds left, in a ring. */
function Countdown({ secondsLeft, period }: { readonly secondsLeft: number; readonly period: number }) {
  return (
    <div class="ring numbers" role="timer" aria-label="Seconds left">
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

/** The codes around the current one. */
const OTHERS = [
  ["Next", "next"],
  ["Before", "previous"],
  ["Two before", "secondPrevious"],
] as const;

function OtherCodes({ codes }: { readonly codes: Plain<OtpCodes> }) {
  return (
    <dl class="row codes-others">
      {OTHERS.map(([title, name]) => (
        <div key={name}>
          <dt class="meta">{title}</dt>
          <dd>
            <Code code={codes[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
