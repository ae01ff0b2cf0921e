import { useEffect } from "preact/hooks";
import { type GenerateOtpResponse, VerifyOtpRequestSchema } from "../../../../gen/utilitytools/v1/otp_pb.js";
import { Exchange } from "../../kit/exchange.js";
import { FormField } from "../../kit/form-field.js";
import { useForm } from "../../kit/use-form.js";
import { CodeCheck } from "./code-check.js";
import { CodesView } from "./codes-view.js";
import { useCodes } from "./use-codes.js";

/** The codes of the secret that was generated, or of one that somebody has, as they move with the clock. */
export function CodesSection({ generated }: { readonly generated: GenerateOtpResponse | undefined }) {
  const form = useForm(VerifyOtpRequestSchema);
  const { set } = form;
  useEffect(() => {
    if (generated !== undefined) {
      set("secret", generated.secret);
      set("digits", String(generated.digits));
    }
  }, [generated]);
  const { call, answer, secondsLeft } = useCodes(form.request);
  return (
    <section class="panel-columns" aria-label="Codes">
      <div class="card card-body">
        <h2>Codes</h2>
        {answer?.otpCodes !== undefined && (
          <CodesView codes={answer.otpCodes} secondsLeft={secondsLeft} period={answer.period} />
        )}
        {answer?.otpCodes !== undefined && <CodeCheck codes={answer.otpCodes} />}
        <FormField form={form} name="secret" violations={call.violations} isCode />
        <FormField form={form} name="digits" violations={call.violations} />
      </div>
      <Exchange
        method={call.method}
        request={form.request}
        outcome={call.outcome}
        isLoading={call.isLoading}
      />
    </section>
  );
}
