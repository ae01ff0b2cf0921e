import {
  type OtpCodes,
  OtpCodesSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect, useId, useState } from "preact/hooks";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import { Code, CurrentCode } from "./code-view.js";
import { digitsOf, matchCode, type Verdict } from "./codes.js";
import { type Codes, useCodes } from "./use-codes.js";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  current: "Correct: this is the current code.",
  previous: "Almost: this was the code before. Most services still accept it.",
  next: "Almost: this is the next code. The clock of the device may be fast.",
  secondPrevious: "Too old: this code was current a minute ago. The clock of the device may be slow.",
  none: "Wrong: this is not a code of the secret. Check the secret, and the clock of the device.",
};

interface CheckCardProps {
  /** The codes of the secret in the QR code. */
  readonly enrolled: Codes;
}

/** Checks a code of an authenticator app: one of the secret in the QR code, or of another secret. */
export function CheckCard({ enrolled }: CheckCardProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const form = useForm(VerifyOtpRequestSchema, {});
  const other = useCodes(form.request);
  const isOther = (form.values.secret ?? "") !== "";
  const codes = isOther ? other : enrolled;
  const { set } = form;
  // The service has to know the number of digits, but not the user: the code has them.
  useEffect(() => set("digits", String(digitsOf(typed))), [set, typed]);

  const all = codes.response?.otpCodes;
  const digits = typed.replaceAll(/\s/g, "").length;
  // The codes of another secret get as many digits as the typed code once the service responds.
  const isCurrent = !isOther || all?.current.length === digitsOf(typed);
  const verdict = all && isCurrent && digits >= all.current.length ? matchCode(all, typed) : undefined;
  const { outcome, violations } = other.call;
  return (
    <section class="card card-body" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Check a code</h2>
      <div class="field">
        <label for={`${id}-code`}>Code from your authenticator app</label>
        <input
          id={`${id}-code`}
          class="control code"
          value={typed}
          inputMode="numeric"
          autocomplete="off"
          placeholder="123 456"
          aria-describedby={`${id}-verdict`}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <p id={`${id}-verdict`} class={`verdict verdict-${verdict ?? "missing"}`} role="status">
          {verdict !== undefined && VERDICTS[verdict]}
        </p>
      </div>
      <details class="fold" open={violations.length > 0 ? true : undefined}>
        <summary>More options</summary>
        <div class="fold-body">
          <FormField
            form={form}
            name="secret"
            help="Check the code against this secret instead of the one in the QR code."
            violations={violations}
            isOptional
            isCode
          />
          {isOther && <CurrentCode codes={other} />}
          {isOther && outcome?.ok === false && violations.length === 0 && (
            <ErrorView error={outcome.failure} />
          )}
          {all !== undefined && <OtherCodes codes={all} />}
        </div>
      </details>
      {isOther && <ExchangeView {...other.call} request={form.request} />}
    </section>
  );
}

const { next, previous, secondPrevious } = OtpCodesSchema.field;

/** The codes around the current one, in order of time. */
const OTHERS = [
  { field: secondPrevious, codeOf: (codes: OtpCodes) => codes.secondPrevious },
  { field: previous, codeOf: (codes: OtpCodes) => codes.previous },
  { field: next, codeOf: (codes: OtpCodes) => codes.next },
];

function OtherCodes({ codes }: { readonly codes: OtpCodes }) {
  return (
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
  );
}
