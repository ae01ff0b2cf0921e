import type { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { CopyButton } from "../../kit/copy.js";
import { BlobImage } from "../../kit/image.js";
import { TYPING_PAUSE, useAnswer } from "../../kit/service/call.js";
import { methodAt } from "../../schema/method.js";
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
  const request = setupLink === undefined ? undefined : { data: setupLink };
  const render = useAnswer(RENDER, request, TYPING_PAUSE);
  const image = setupLink === undefined ? undefined : render.message?.image;
  return (
    <section class="card card-body otp-enrollment" aria-labelledby="otp-scan">
      <div class="otp-image">
        <AnswerPlace
          isWaiting={image === undefined}
          hint={setupLink === undefined ? "The QR code appears here." : undefined}
        >
          <BlobImage body={image} alt="QR code of the setup link" />
        </AnswerPlace>
      </div>
      <div class="stack tight">
        <h2 id="otp-scan">Scan to set up</h2>
        <p class="stack tight soft">
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
      {render.failure !== undefined && <ErrorView error={render.failure} />}
    </section>
  );
}
