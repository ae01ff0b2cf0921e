import { useEffect } from "preact/hooks";
import { SERVICES } from "../../../../gen/services.js";
import { GenerateOtpRequestSchema } from "../../../../gen/utilitytools/v1/otp_pb.js";
import { Exchange } from "../../kit/exchange.js";
import { FormField } from "../../kit/form-field.js";
import { PanelHeading } from "../../kit/panel-heading.js";
import { useCall } from "../../kit/use-call.js";
import { exampleValues, useForm } from "../../kit/use-form.js";
import { CodesSection } from "./codes-section.js";
import { Enrolment } from "./enrolment.js";
import "./otp.css";

const GENERATE = SERVICES.otp.method.generateOtp;

/** One-time passwords: a new secret for an authenticator app, and the codes that a secret gives. */
export function OtpPanel() {
  const form = useForm(GenerateOtpRequestSchema, exampleValues(GenerateOtpRequestSchema));
  const call = useCall(GENERATE);
  const { send, outcome, violations } = call;
  // Begins with a secret, so that there is something to scan. Others are made when they are asked for.
  useEffect(() => send(form.request), [send]);
  const enrolled = outcome?.ok === true ? outcome.value.message : undefined;
  return (
    <>
      <PanelHeading title="One-time passwords" service={SERVICES.otp} />
      <div class="stack">
        <section class="panel-columns" aria-label="A new secret">
          <div class="stack">
            <form
              class="card card-body"
              onSubmit={(event) => {
                event.preventDefault();
                send(form.request);
              }}
            >
              <h2>A new secret</h2>
              <FormField form={form} name="issuer" violations={violations} />
              <FormField form={form} name="label" violations={violations} />
              <FormField form={form} name="digits" violations={violations} />
              <div class="actions">
                <button type="submit">Generate</button>
              </div>
            </form>
            {enrolled !== undefined && <Enrolment enrolled={enrolled} />}
          </div>
          <Exchange method={GENERATE} request={form.request} outcome={outcome} isLoading={call.isLoading} />
        </section>
        <CodesSection generated={enrolled} />
      </div>
    </>
  );
}
