import {
  EmailRuleSchema,
  type EmailStep,
  ExplainEmailResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { useId } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { fieldLabel } from "../../kit/field-text.js";
import { Prose } from "../../kit/prose.js";
import { DiffView } from "./diff-view.js";
import { ruleTitle } from "./rule-title.js";

const STEPS = ExplainEmailResponseSchema.field.steps;

interface EmailStepsProps {
  /** The address as it was asked about. */
  readonly input: string;
  readonly steps: readonly EmailStep[];
}

/** The rules that changed an address, in their order, each with what it changed. */
export function EmailSteps({ input, steps }: EmailStepsProps) {
  const id = useId();
  return (
    <section class="card card-body" aria-labelledby={id}>
      <h2 id={id} class="card-title">
        {fieldLabel(STEPS)}
      </h2>
      <p class="help">
        <Prose text={commentOf(STEPS)} />
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
      <h3 class="email-rule">
        {ruleTitle(EmailRuleSchema.value[step.rule])}
        {step.provider !== "" && <span class="email-provider">{step.provider}</span>}
      </h3>
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
