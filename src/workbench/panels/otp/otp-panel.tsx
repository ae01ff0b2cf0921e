import { SERVICES } from "@utility-tools/protos/services.js";
import {
  GenerateOtpRequestSchema,
  type GenerateOtpResponse,
  GenerateOtpResponseSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect } from "preact/hooks";
import { useCall, useLastMessage } from "../../kit/call.js";
import { BlobImage, PanelHeading } from "../../kit/content.js";
import { CopyRow } from "../../kit/copy.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import { fieldLabel } from "../../kit/text.js";
import { CodesCard, useCodes } from "./codes-card.js";
import "./otp.css";

const GENERATE = SERVICES.otp.method.generateOtp;

/** Generates a secret for an authenticator app, and shows the codes of a secret. */
export function OtpPanel() {
  const form = useForm(GenerateOtpRequestSchema);
  const generate = useCall(GENERATE);
  const { send, outcome, violations } = generate;
  // Start with a secret, so that there is a QR code to scan. Later ones are generated on demand.
  useEffect(() => send(form.request), [send]);
  const generated = useLastMessage(outcome);

  const verifyForm = useForm(VerifyOtpRequestSchema, {});
  const { set } = verifyForm;
  useEffect(() => {
    if (generated !== undefined) {
      set("secret", generated.secret);
      set("digits", String(generated.digits));
    }
  }, [generated, set]);
  const codes = useCodes(verifyForm.request);
  return (
    <>
      <PanelHeading title="One-time passwords" service={SERVICES.otp} />
      <div class="stack">
        <div class="panel-columns equal">
          <form
            class="card card-body"
            aria-labelledby="new-secret"
            onSubmit={(event) => {
              event.preventDefault();
              send(form.request);
            }}
          >
            <h2 id="new-secret">New secret</h2>
            <FormField form={form} name="issuer" violations={violations} />
            <FormField form={form} name="label" violations={violations} />
            <FormField form={form} name="digits" violations={violations} />
            <div class="actions">
              <button type="submit">Generate</button>
            </div>
          </form>
          <Enrollment generated={generated} />
        </div>
        <div class="panel-columns equal">
          <CodesCard codes={codes} />
          <div class="card card-body">
            <h2>Secret in use</h2>
            <FormField form={verifyForm} name="secret" violations={codes.call.violations} isCode />
            <FormField form={verifyForm} name="digits" violations={codes.call.violations} />
          </div>
        </div>
        <ExchangeView {...generate} request={form.request} />
        <ExchangeView {...codes.call} request={verifyForm.request} />
      </div>
    </>
  );
}

const { secret, otpUrl } = GenerateOtpResponseSchema.field;

/** A secret to add to an authenticator app, by QR code or by hand. */
function Enrollment({ generated }: { readonly generated: GenerateOtpResponse | undefined }) {
  // Rendered by a call instead of loading `qrcode_url`: that URL may name another host, which the page must not load from.
  const { send, outcome } = useCall(SERVICES.barcode.method.renderBarcode);
  useEffect(() => {
    if (generated !== undefined) {
      send({ data: generated.otpUrl });
    }
  }, [send, generated]);
  const image = outcome?.ok === true ? outcome.value.message.image : undefined;
  return (
    <section class="card card-body enrollment" aria-labelledby="scan">
      <h2 id="scan">Scan it</h2>
      <div class="enrollment-image">
        <BlobImage body={image} alt="QR code of the OTP URL" />
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
      <p class="help">
        Use an authenticator app, or type the secret into one. The app then shows the same codes as below.
      </p>
      <div class="copy-rows">
        <CopyRow name={fieldLabel(secret)} value={generated?.secret ?? ""} />
        <CopyRow name={fieldLabel(otpUrl)} value={generated?.otpUrl ?? ""} />
      </div>
    </section>
  );
}
