import { SERVICES } from "@utility-tools/protos/services.js";
import {
  type GenerateOtpResponse,
  GenerateOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect } from "preact/hooks";
import { BlobImage } from "../../kit/blob-image.js";
import { CopyRow } from "../../kit/copy-row.js";
import { ErrorView } from "../../kit/error-view.js";
import { fieldLabel } from "../../kit/field-text.js";
import { useCall } from "../../kit/use-call.js";

const { secret, otpUrl } = GenerateOtpResponseSchema.field;

/** A secret on its way to an authenticator app: to be scanned, or typed. */
export function Enrolment({ enrolled }: { readonly enrolled: GenerateOtpResponse | undefined }) {
  // What qrcode_url leads to, which may be another name of the service than the page's: the page has no way there.
  const { send, outcome } = useCall(SERVICES.barcode.method.renderBarcode);
  useEffect(() => {
    if (enrolled !== undefined) {
      send({ data: enrolled.otpUrl });
    }
  }, [send, enrolled]);
  const image = outcome?.ok === true ? outcome.value.message.image : undefined;
  return (
    <section class="card card-body enrolment" aria-labelledby="scan">
      <h2 id="scan">Scan it</h2>
      <div class="enrolment-image">
        <BlobImage body={image} alt="QR code of the OTP URL" />
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
      <p class="help">
        With an authenticator app, or type the secret into it. The codes below are then the app’s.
      </p>
      <div class="copy-rows">
        <CopyRow name={fieldLabel(secret)} value={enrolled?.secret ?? ""} />
        <CopyRow name={fieldLabel(otpUrl)} value={enrolled?.otpUrl ?? ""} />
      </div>
    </section>
  );
}
