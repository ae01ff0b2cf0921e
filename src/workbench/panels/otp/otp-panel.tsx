import { SERVICES } from "@utility-tools/protos/services.js";
import {
  GenerateOtpRequestSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useEffect } from "preact/hooks";
import { Exchange } from "../../kit/exchange.js";
import { FormField } from "../../kit/form-field.js";
import { PanelHeading } from "../../kit/panel-heading.js";
import { exampleValues } from "../../kit/request-of.js";
import { useCall } from "../../kit/use-call.js";
import { useForm } from "../../kit/use-form.js";
import { useLastMessage } from "../../kit/use-last-message.js";
import { CodesCard } from "./codes-card.js";
import { Enrolment } from "./enrolment.js";
import { useCodes } from "./use-codes.js";
import "./otp.css";

const GENERATE = SERVICES.otp.method.generateOtp;

/** One-time passwords: a new secret for an authenticator app, and the codes that a secret gives. */
export function OtpPanel() {
  const form = useForm(GenerateOtpRequestSchema, exampleValues(GenerateOtpRequestSchema));
  const { send, outcome, violations, isLoading } = useCall(GENERATE);
  // Begins with a secret, so that there is something to scan. Others are made when they are asked for.
  useEffect(() => send(form.request), [send]);
  const enrolled = useLastMessage(outcome);

  const verifyForm = useForm(VerifyOtpRequestSchema);
  const { set } = verifyForm;
  useEffect(() => {
    if (enrolled !== undefined) {
      set("secret", enrolled.secret);
      set("digits", String(enrolled.digits));
    }
  }, [enrolled, set]);
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
            <h2 id="new-secret">A new secret</h2>
            <FormField form={form} name="issuer" violations={violations} />
            <FormField form={form} name="label" violations={violations} />
            <FormField form={form} name="digits" violations={violations} />
            <div class="actions">
              <button type="submit">Generate</button>
            </div>
          </form>
          <Enrolment enrolled={enrolled} />
        </div>
        <div class="panel-columns equal">
          <CodesCard codes={codes} />
          <div class="card card-body">
            <h2>The secret in use</h2>
            <FormField form={verifyForm} name="secret" violations={codes.call.violations} isCode />
            <FormField form={verifyForm} name="digits" violations={codes.call.violations} />
          </div>
        </div>
        <div class="panel-columns">
          <Exchange method={GENERATE} request={form.request} outcome={outcome} isLoading={isLoading} />
          <Exchange
            method={codes.call.method}
            request={verifyForm.request}
            outcome={codes.call.outcome}
            isLoading={codes.call.isLoading}
          />
        </div>
      </div>
    </>
  );
}
