import {
  EmailRuleSchema,
  type EmailStep,
  ExplainEmailResponseSchema,
} from "../../../../gen/utilitytools/v1/email_pb.js";
import { commentOf } from "../../kit/comments.js";
import { Prose } from "../../kit/prose.js";
import { DiffView } from "./diff-view.js";
import { ruleTitle } from "./rule-title.js";

interface EmailStepsProps {
  /** The address as it was asked about. */
  readonly input: string;
  readonly steps: readonly EmailStep[];
}

/** The rules that changed an address, in their order, each with what it changed. */
export function EmailSteps({ input, steps }: EmailStepsProps) {
  return (
    <section class="card card-body" aria-label="Steps">
      <p class="help">
        <Prose text={commentOf(ExplainEmailResponseSchema.field.steps)} />
      </p>
      {steps.length > 0 && (
        <ol class="email-steps">
          {steps.map((step, index) => (
            <li key={step.rule}>
              <Step step={step} before={steps[index - 1]?.result ?? input} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Step({ step, before }: { readonly step: EmailStep; readonly before: string }) {
  return (
    <>
      <h2 class="email-rule">
        {ruleTitle(EmailRuleSchema.value[step.rule])}
        {step.provider !== "" && <span class="email-provider">{step.provider}</span>}
      </h2>
      <DiffView before={before} after={step.result} />
      <p class="email-reason">{step.description}</p>
      {step.references.length > 0 && (
        <ul class="email-references">
          {step.references.map((reference) => (
            <li key={reference}>
              <a href={reference}>{reference.replace(/^https?:\/\/(www\.)?/, "")}</a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
