import type { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { useEffect } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { BlobImage } from "../../kit/content.js";
import { CopyButton } from "../../kit/copy.js";
import { TYPING_PAUSE, useCall } from "../../kit/service/call.js";
import { methodAt } from "../../schema/schema.js";
import type { Account } from "./account.js";

const RENDER = methodAt<typeof BarcodeService.method.renderBarcode>("BarcodeService/RenderBarcode");

interface EnrollmentProps {
  readonly account: Account;
  /** Undefined if the account is not complete. */
  readonly setupLink: string | undefined;
  readonly onNewSecret: () => void;
}

/** The QR code that sets up an authenticator app. */
export function Enrollment({ account, setupLink, onNewSecret }: EnrollmentProps) {
  // Rendered by a call instead of loading `qrcode_url`: that URL may name another host, which the page must not load from.
  const { send, reset, outcome } = useCall(RENDER);
  useEffect(() => {
    if (setupLink === undefined) {
      reset();
    } else {
      send({ data: setupLink }, TYPING_PAUSE);
    }
  }, [send, reset, setupLink]);
  const image = outcome?.ok === true && setupLink !== undefined ? outcome.value.message.image : undefined;
  return (
    <section class="card card-body otp-enrollment" aria-labelledby="otp-scan">
      <div class="otp-image">
        <AnswerPlace
          isWaiting={image === undefined}
          hint={setupLink === undefined ? "No QR code yet." : undefined}
        >
          <BlobImage body={image} alt="QR code of the setup link" />
        </AnswerPlace>
      </div>
      <div class="otp-scan">
        <h2 id="otp-scan">Scan to set up</h2>
        <p class="otp-names">
          {account.issuer !== "" && <span>{account.issuer}</span>}
          {account.label !== "" && <span>{account.label}</span>}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onNewSecret}>
            New secret
          </button>
          {setupLink !== undefined && (
            <>
              <CopyButton text={setupLink} what="setup link" label="Copy setup link" />
              {/* A button, because the browser keeps the links that were followed. */}
              <button type="button" class="quiet otp-open" onClick={() => location.assign(setupLink)}>
                Open in app
              </button>
            </>
          )}
        </div>
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
    </section>
  );
}
