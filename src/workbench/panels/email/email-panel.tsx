import {
  EmailRuleSchema,
  EmailService,
  type EmailStep,
  type ExplainEmailResponse,
  SanitizeEmailRequestSchema,
  SanitizeEmailResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { TYPING_PAUSE, useCall } from "../../kit/call.js";
import { ExampleButtons, PanelHeading, Prose } from "../../kit/content.js";
import { CopyButton, CopyLinkButton } from "../../kit/copy.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FormField, useForm } from "../../kit/form.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { useAnnouncement } from "../../kit/session.js";
import { Tabs } from "../../kit/tabs.js";
import { commentOf, valueLabel } from "../../kit/text.js";
import { diffText } from "./diff.js";
import { EmailList } from "./email-list.js";
import "./email.css";

const { sanitizeEmail, explainEmail } = EmailService.method;

/** The schema's example, and one for each kind of rule. */
const EXAMPLE = fieldDocsOf(SanitizeEmailRequestSchema.field.email).example;
const EXAMPLES: readonly string[] = [
  EXAMPLE,
  "shop@jane.fastmail.com",
  "JANE_doe@pm.me",
  '"jane.doe"@Bücher.example',
  "jane@ya.ru",
  "Info <info@mailinator.com>",
  "jane@gmial.com",
  "jane..doe@example.com",
];

const MODES = [
  { id: "one", title: "One address" },
  { id: "list", title: "List" },
] as const;

/** Normalizes one address, or a list of addresses. */
export function EmailPanel() {
  const place = usePlace("email");
  const isList = place.parameters.get("mode") === "list";
  const [hadList, setHadList] = useState(isList);
  useEffect(() => setHadList((had) => had || isList), [isList]);
  return (
    <>
      <PanelHeading title="E-mail" service={EmailService} />
      <div class="bare-tabs">
        <Tabs
          label="Normalize"
          tabs={MODES}
          selected={isList ? "list" : "one"}
          onSelect={(mode) => place.push(mode === "list" ? { parameters: { mode } } : {})}
        >
          {!isList && <AddressForm place={place} />}
          {/* The list keeps its results while one address is shown. */}
          {(isList || hadList) && <EmailList isShown={isList} />}
        </Tabs>
      </div>
    </>
  );
}

/** Normalizes an address as the user types, and explains each step. The URL has the address. */
function AddressForm({ place: { parameters, replace } }: { readonly place: PanelPlace }) {
  const address = parameters.get("address");
  const { set, ...rest } = useForm(SanitizeEmailRequestSchema, { email: address ?? EXAMPLE });
  // A link or the back button changes the address in the URL.
  useEffect(() => {
    if (address !== null) {
      set("email", address);
    }
  }, [address, set]);
  const form = {
    ...rest,
    set: (name: string, text: string) => {
      set(name, text);
      replace({ parameters: { address: text } });
    },
  };
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

  const response = explain.outcome?.ok === true ? explain.outcome.value : undefined;
  useAnnouncement(response?.message.email ?? "");
  return (
    <div class="stack">
      <section class="card card-body" aria-label="Address">
        <FormField form={form} name="email" violations={explain.violations} isCode />
        <ExampleButtons
          label="Example addresses"
          examples={EXAMPLES}
          onPick={(example) => form.set("email", example)}
        />
      </section>
      {explain.outcome?.ok === false && explain.violations.length === 0 && (
        <ErrorView error={explain.outcome.failure} />
      )}
      {response !== undefined && (
        <>
          <section class="card card-body email-key" aria-label="Normalized address">
            <div class="email-key-row">
              <output class="code">{response.message.email}</output>
              <CopyButton text={response.message.email} what="the normalized address" />
              <CopyLinkButton />
            </div>
            <p class="help">
              <Prose text={commentOf(SanitizeEmailResponseSchema.field.email)} />
            </p>
            <Findings response={response.message} onPick={(address) => form.set("email", address)} />
          </section>
          <EmailSteps input={response.request.email} steps={response.message.steps} />
        </>
      )}
      <ExchangeView {...sanitize} request={request} />
      <ExchangeView {...explain} request={request} />
    </div>
  );
}

interface FindingsProps {
  readonly response: ExplainEmailResponse;
  /** Called with the suggested address. */
  readonly onPick: (address: string) => void;
}

/** What the lists say about an address; nothing for most. */
function Findings({ response, onPick }: FindingsProps) {
  const { disposable, freeProvider, roleAccount, didYouMean } = response;
  const findings = [
    disposable && "The domain offers addresses that are thrown away after use.",
    freeProvider && "The domain offers mailboxes to everyone.",
    roleAccount && "The name is that of a function, not of a person.",
  ].filter((finding) => finding !== false);
  return (
    <>
      {didYouMean !== "" && (
        <p>
          Did you mean{" "}
          <button type="button" class="quiet code" onClick={() => onPick(didYouMean)}>
            {didYouMean}
          </button>
          ?
        </p>
      )}
      {findings.length > 0 && (
        <ul class="email-findings">
          {findings.map((finding) => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      )}
    </>
  );
}

interface EmailStepsProps {
  /** The address of the request. */
  readonly input: string;
  readonly steps: readonly EmailStep[];
}

/** The rules that changed an address, in order, each with its change. */
function EmailSteps({ input, steps }: EmailStepsProps) {
  const id = useId();
  return (
    <section class="card card-body" aria-labelledby={id}>
      <h2 id={id} class="card-title">
        What changed, and why
      </h2>
      {steps.length === 0 && <p>Nothing: the address is already in its normal form.</p>}
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
        {valueLabel(EmailRuleSchema.value[step.rule])}
        {step.provider !== "" && <span class="email-provider">{step.provider}</span>}
      </h3>
      <Diff before={before} after={step.result} />
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

const TAGS = { removed: "del", added: "ins" } as const;

/** The changes of a text. Screen readers read only the version after. */
function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => diffText(before, after), [before, after]);
  return (
    <p class="email-diff code">
      <span class="off-screen">{after}</span>
      <span aria-hidden="true">
        {parts.map(({ kind, text }, index) => {
          if (kind === "same") {
            return text;
          }
          const Tag = TAGS[kind];
          return <Tag key={index}>{text}</Tag>;
        })}
      </span>
    </p>
  );
}
