import { SERVICES } from "@utility-tools/protos/services.js";
import {
  GenerateOtpRequestSchema,
  type GenerateOtpResponse,
  GenerateOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect, useMemo, useState } from "preact/hooks";
import { TYPING_PAUSE, useCall, useLastMessage } from "../../kit/call.js";
import { BlobImage, PanelHeading } from "../../kit/content.js";
import { CopyButton } from "../../kit/copy.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import { defaultValues } from "../../kit/request.js";
import { fieldLabel } from "../../kit/text.js";
import { CheckCard } from "./check-card.js";
import { CurrentCode } from "./code-view.js";
import { type Codes, useCodes } from "./use-codes.js";
import "./otp.css";

const GENERATE = SERVICES.otp.method.generateOtp;

/** Adds an account to an authenticator app, and checks codes. The secret is never in the URL. */
export function OtpPanel() {
  const form = useForm(GenerateOtpRequestSchema);
  const { request } = form;
  const generate = useCall(GENERATE);
  const { send, outcome, violations } = generate;
  useEffect(() => send(request, TYPING_PAUSE), [send, request]);
  const generated = useLastMessage(outcome);

  const verifyRequest = useMemo(
    () => (generated === undefined ? {} : verifyRequestOf(generated)),
    [generated],
  );
  const codes = useCodes(verifyRequest);
  return (
    <>
      <PanelHeading title="One-time passwords" service={SERVICES.otp} />
      <div class="otp">
        <form
          class="card card-body otp-account"
          aria-labelledby="otp-account"
          onSubmit={(event) => {
            event.preventDefault();
            send(request);
          }}
        >
          <h2 id="otp-account">1. Name the account</h2>
          <FormField
            form={form}
            name="issuer"
            help="Your company or product, as the app shows it."
            violations={violations}
          />
          <FormField
            form={form}
            name="label"
            help="Who signs in: a name or an e-mail address."
            violations={violations}
          />
          <details class="fold">
            <summary>More options</summary>
            <div class="fold-body">
              <FormField form={form} name="digits" violations={violations} />
              <FormField form={form} name="algorithm" violations={violations} />
              <FormField form={form} name="period" violations={violations} />
              <div class="actions">
                <button type="submit" class="quiet">
                  New secret
                </button>
                {generated !== undefined && (
                  <CopyButton text={generated.otpUrl} what={fieldLabel(otpUrl)} label="Copy OTP URL" />
                )}
              </div>
            </div>
          </details>
          {outcome?.ok === false && violations.length === 0 && <ErrorView error={outcome.failure} />}
        </form>
        <Enrollment generated={generated} codes={codes} />
        <div class="otp-check">
          <CheckCard enrolled={codes} />
        </div>
      </div>
      <ExchangeView {...generate} request={request} />
      <ExchangeView {...codes.call} request={verifyRequest} />
    </>
  );
}

/** The request for the codes of a new secret. Omits options with their default, so that snippets are short. */
function verifyRequestOf({ secret, digits, algorithm, period }: GenerateOtpResponse) {
  return {
    secret,
    digits,
    ...(algorithm !== VERIFY_DEFAULTS.algorithm && { algorithm }),
    ...(String(period) !== VERIFY_DEFAULTS.period && { period }),
  };
}

const VERIFY_DEFAULTS = defaultValues(SERVICES.otp.method.verifyOtp.input);

const { secret, otpUrl } = GenerateOtpResponseSchema.field;

interface EnrollmentProps {
  readonly generated: GenerateOtpResponse | undefined;
  readonly codes: Codes;
}

/** A secret to add to an authenticator app, by QR code or by hand, and its current code. */
function Enrollment({ generated, codes }: EnrollmentProps) {
  // Rendered by a call instead of loading `qrcode_url`: that URL may name another host, which the page must not load from.
  const { send, outcome } = useCall(SERVICES.barcode.method.renderBarcode);
  useEffect(() => {
    if (generated !== undefined) {
      send({ data: generated.otpUrl });
    }
  }, [send, generated]);
  const image = outcome?.ok === true ? outcome.value.message.image : undefined;
  return (
    <section class="card card-body otp-enrollment" aria-labelledby="otp-scan">
      <h2 id="otp-scan">2. Scan it with an authenticator</h2>
      <div class="otp-image">
        <BlobImage body={image} alt="QR code of the OTP URL" />
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
      {generated !== undefined && <SecretRow key={generated.secret} generated={generated} />}
      <section class="otp-now" aria-label="Current code">
        <p class="help">The app then shows this code:</p>
        <CurrentCode codes={codes} />
        {codes.call.outcome?.ok === false && <ErrorView error={codes.call.outcome.failure} />}
      </section>
    </section>
  );
}

/** The secret to type into an app, hidden until the user asks for it. */
function SecretRow({ generated }: { readonly generated: GenerateOtpResponse }) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="secret-row">
      <span>
        <span class="copy-name">{fieldLabel(secret)} to type</span>
        <span class="copy-value code">
          {isShown ? generated.secret : <span aria-hidden="true">{"•".repeat(16)}</span>}
          {!isShown && <span class="off-screen">hidden</span>}
        </span>
      </span>
      <div class="actions">
        <button type="button" class="quiet" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"}
        </button>
        <CopyButton text={generated.secret} what={fieldLabel(secret)} />
      </div>
    </div>
  );
}
