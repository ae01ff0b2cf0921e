import {
  type OtpCodes,
  OtpCodesSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useId, useMemo, useState } from "preact/hooks";
import { isOtpExport } from "../../../text/otp-migration.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import { Code, CurrentCode } from "./code-view.js";
import { digitsOf, matchCode, type Verdict } from "./codes.js";
import { ImportedAccounts } from "./imported-accounts.js";
import { type Codes, useCodes } from "./use-codes.js";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  current: "Correct: this is the current code.",
  previous: "Almost: this was the code before. Most services still accept it.",
  next: "Almost: this is the next code. The clock of the device may be fast.",
  secondPrevious: "Too old: this code was current two time steps ago. The clock of the device may be slow.",
  malformed: "This is no code: a code has only digits.",
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
  const given = (form.values.secret ?? "").trim();
  const isOther = given !== "";
  // The accounts of an export are read in the page; the user chooses one.
  const isExport = isOtpExport(given);
  const isUri = /^otpauth:/i.test(given);
  // The service has to know the number of digits, but not the user: the code has them. A key URI has its own.
  const digits = digitsOf(typed);
  const request = useMemo(
    () => (isExport ? {} : isUri ? { keyUri: given } : { secret: given, digits }),
    [given, isExport, isUri, digits],
  );
  const other = useCodes(request);
  const codes = isOther ? other : enrolled;

  const all = codes.response?.otpCodes;
  const length = typed.replaceAll(/\s/g, "").length;
  // The codes of another secret get as many digits as the typed code once the service responds.
  const isCurrent = !isOther || isUri || all?.current.length === digits;
  const isComplete = all !== undefined && isCurrent && length >= all.current.length;
  const verdict = isComplete || /[^\d\s]/.test(typed) ? matchCode(all, typed) : undefined;
  const { outcome } = other.call;
  const violations = other.call.violations.map((each) =>
    each.field === "key_uri" ? { ...each, field: "secret" } : each,
  );
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
            help="Check the code against this secret instead of the one in the QR code. A link works as well: `otpauth://` of one account, or `otpauth-migration://` of Google Authenticator’s export, which is read in this page."
            violations={violations}
            isOptional
            isCode
          />
          {isExport && <ImportedAccounts link={given} onPick={(uri) => form.set("secret", uri)} />}
          {isOther && <CurrentCode codes={other} />}
          {isOther && outcome?.ok === false && violations.length === 0 && (
            <ErrorView error={outcome.failure} />
          )}
          {all !== undefined && <OtherCodes codes={all} />}
        </div>
      </details>
      {isOther && <ExchangeView {...other.call} request={request} />}
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
