import { useEffect } from "preact/hooks";
import { SERVICES } from "../../../../gen/services.js";
import {
  type GenerateOtpResponse,
  GenerateOtpResponseSchema,
} from "../../../../gen/utilitytools/v1/otp_pb.js";
import { BlobImage } from "../../kit/blob-image.js";
import { CopyRow } from "../../kit/copy-row.js";
import { ErrorView } from "../../kit/error-view.js";
import { fieldLabel } from "../../kit/field-text.js";
import { useCall } from "../../kit/use-call.js";

const { secret, otpUrl } = GenerateOtpResponseSchema.field;

/** A secret on its way to an authenticator app: to be scanned, or typed. */
export function Enrolment({ enrolled }: { readonly enrolled: GenerateOtpResponse }) {
  // What qrcode_url leads to, which may be another name of the service than the page's: the page has no way there.
  const { send, outcome } = useCall(SERVICES.barcode.method.renderBarcode);
  useEffect(() => send({ data: enrolled.otpUrl }), [send, enrolled]);
  const image = outcome?.ok === true ? outcome.value.message.image : undefined;
  return (
    <section class="card card-body enrolment" aria-label="Scan the secret">
      <div class="enrolment-image">
        <BlobImage body={image} alt={`QR code for ${enrolled.label} at ${enrolled.issuer}`} />
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
      <p class="help">
        Scan it with an authenticator app, or type the secret. The codes below should be the app’s.
      </p>
      <div class="copy-rows">
        <CopyRow name={fieldLabel(secret)} value={enrolled.secret} />
        <CopyRow name={fieldLabel(otpUrl)} value={enrolled.otpUrl} />
      </div>
    </section>
  );
}
