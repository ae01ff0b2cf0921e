import { CopyButton } from "../../kit/copy.js";
import type { Codes } from "./use-codes.js";

/** The current code of a secret with its countdown. Keeps its height until the first response. */
export function CurrentCode({ codes: { response, secondsLeft } }: { readonly codes: Codes }) {
  const code = response?.otpCodes?.current;
  return (
    <div class="codes-current">
      {response !== undefined && code !== undefined && (
        <>
          <Countdown secondsLeft={secondsLeft} period={response.period} />
          <Code code={code} />
          <CopyButton text={code} what="the current code" />
        </>
      )}
    </div>
  );
}

/** A code in two halves, which are easier to read. */
export function Code({ code }: { readonly code: string }) {
  const half = code.length / 2;
  return (
    <span class="otp-code">
      <span>{code.slice(0, half)}</span>
      <span>{code.slice(half)}</span>
    </span>
  );
}

/** The seconds left, in a ring. */
function Countdown({ secondsLeft, period }: { readonly secondsLeft: number; readonly period: number }) {
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
