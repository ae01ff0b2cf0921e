import { SERVICES } from "@utility-tools/protos/services.js";
import { RenderBarcodeRequestSchema } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { useEffect } from "preact/hooks";
import { TYPING_PAUSE, useCall } from "../../kit/call.js";
import { PanelHeading, useBlobUrl } from "../../kit/content.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import "./barcode.css";

/** Renders text as a QR code as the user types. */
export function BarcodePanel() {
  const form = useForm(RenderBarcodeRequestSchema);
  const { request } = form;
  const render = useCall(SERVICES.barcode.method.renderBarcode);
  const { send, outcome, violations } = render;
  useEffect(() => send(request, TYPING_PAUSE), [send, request]);
  const image = outcome?.ok === true ? outcome.value.message.image : undefined;
  const url = useBlobUrl(image);
  const extension = /\/([a-z]+)/.exec(image?.contentType ?? "")?.[1] ?? "";
  return (
    <>
      <PanelHeading title="Bar code" service={SERVICES.barcode} />
      <section class="panel-columns" aria-label="Bar code">
        <div class="card card-body">
          <FormField form={form} name="data" violations={violations} isLong />
          <FormField form={form} name="format" violations={violations} />
        </div>
        {outcome?.ok === false && violations.length === 0 && <ErrorView error={outcome.failure} />}
        {url !== undefined && (
          <div class="card card-body barcode">
            <img class="barcode-image" src={url} alt="The QR code" />
            <a class="button" href={url} download={`barcode.${extension}`}>
              Download {extension.toUpperCase()}
            </a>
          </div>
        )}
      </section>
      <ExchangeView {...render} request={request} />
    </>
  );
}
