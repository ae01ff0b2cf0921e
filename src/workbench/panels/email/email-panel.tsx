import {
  EmailService,
  SanitizeEmailRequestSchema,
  SanitizeEmailResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useMemo } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { CopyButton } from "../../kit/copy-button.js";
import { ExampleButtons } from "../../kit/example-buttons.js";
import { Exchange } from "../../kit/exchange.js";
import { FormField } from "../../kit/form-field.js";
import { MethodTabs } from "../../kit/method-tabs.js";
import { PanelHeading } from "../../kit/panel-heading.js";
import { Prose } from "../../kit/prose.js";
import { exampleValues } from "../../kit/request-of.js";
import { useAnnouncement } from "../../kit/use-announcement.js";
import { TYPING_PAUSE, useCall } from "../../kit/use-call.js";
import { useForm } from "../../kit/use-form.js";
import { EmailSteps } from "./email-steps.js";
import "./email.css";

const { sanitizeEmail, explainEmail } = EmailService.method;

/** The schema's example, and one for each kind of rule. */
const EXAMPLES: readonly string[] = [
  fieldDocsOf(SanitizeEmailRequestSchema.field.email).example,
  "shop@jane.fastmail.com",
  "JANE_doe@pm.me",
  '"jane.doe"@Bücher.example',
  "jane@ya.ru",
  "jane..doe@example.com",
];

/** An address as somebody types it, what each rule makes of it, and the key that comes of it. */
export function EmailPanel() {
  const form = useForm(SanitizeEmailRequestSchema, exampleValues(SanitizeEmailRequestSchema));
  const explain = useCall(explainEmail);
  const sanitize = useCall(sanitizeEmail);
  const { email = "" } = form.values;
  const request = useMemo(() => ({ email }), [email]);
  const { send: sendExplain, reset: resetExplain } = explain;
  const { send: sendSanitize, reset: resetSanitize } = sanitize;
  useEffect(() => {
    if (request.email === "") {
      resetExplain();
      resetSanitize();
    } else {
      sendExplain(request, TYPING_PAUSE);
      sendSanitize(request, TYPING_PAUSE);
    }
  }, [request, sendExplain, resetExplain, sendSanitize, resetSanitize]);

  const answer = explain.outcome?.ok === true ? explain.outcome.value : undefined;
  useAnnouncement(answer?.message.email ?? "");
  return (
    <>
      <PanelHeading title="E-mail" service={EmailService} />
      <div class="panel-columns email">
        <div class="stack">
          <section class="card card-body" aria-label="Address">
            <FormField form={form} name="email" violations={explain.violations} isCode />
            <ExampleButtons
              label="Example addresses"
              examples={EXAMPLES}
              onPick={(example) => form.set("email", example)}
            />
          </section>
          {answer !== undefined && (
            <>
              <section class="card card-body email-key" aria-label="Normalised address">
                <div class="email-key-row">
                  <output class="code">{answer.message.email}</output>
                  <CopyButton text={answer.message.email} what="the normalised address" />
                </div>
                <p class="help">
                  <Prose text={commentOf(SanitizeEmailResponseSchema.field.email)} />
                </p>
              </section>
              <EmailSteps input={answer.request.email} steps={answer.message.steps} />
            </>
          )}
        </div>
        <div class="email-exchange">
          <MethodTabs
            exchanges={[
              { method: sanitizeEmail, view: () => <Exchange {...sanitize} request={request} /> },
              { method: explainEmail, view: () => <Exchange {...explain} request={request} /> },
            ]}
          />
        </div>
      </div>
    </>
  );
}
