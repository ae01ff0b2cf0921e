import { type OtpCodes, OtpCodesSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { CopyButton } from "../../kit/copy-button.js";

const { current, next, previous, secondPrevious } = OtpCodesSchema.field;

/** The codes around the current one, by time. */
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

/** The current code, a ring for the seconds that are left of it, and the codes around it. */
export function CodesView({ codes, secondsLeft, period }: CodesViewProps) {
  return (
    <div class="codes">
      <div class="codes-current">
        <Ring secondsLeft={secondsLeft} period={period} />
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

/** A code in two halves, which are easier to carry over than the whole. */
function Code({ code }: { readonly code: string }) {
  const half = code.length / 2;
  return (
    <span class="otp-code">
      <span>{code.slice(0, half)}</span>
      <span>{code.slice(half)}</span>
    </span>
  );
}

function Ring({ secondsLeft, period }: Omit<CodesViewProps, "codes">) {
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
