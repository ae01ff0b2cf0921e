import type {
  EmailService,
  EmailStep,
  ExplainEmailResponse,
  SanitizeEmailRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { createElement, Fragment } from "preact";
import { useId, useMemo } from "preact/hooks";
import { namedReferences, titleOfStep } from "../../../text/email-step-words.js";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { ExampleButtons, PanelHeading } from "../../kit/content.js";
import { CopyButton, CopyLinkButton } from "../../kit/copy.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { FormField, usePlaceForm } from "../../kit/form/form.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { TYPING_PAUSE, useAnswer } from "../../kit/service/call.js";
import { useAnnouncement } from "../../kit/session.js";
import { OneOrList } from "../../list/one-or-list.js";
import { useListPaste } from "../../list/use-list-paste.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { fieldOf, messageNamed } from "../../schema/schema.js";
import { describeMailbox } from "./describe-mailbox.js";
import { diffText } from "./diff.js";
import "./email.css";

const SANITIZE = methodAt<typeof EmailService.method.sanitizeEmail>("EmailService/SanitizeEmail");
const EXPLAIN = methodAt<typeof EmailService.method.explainEmail>("EmailService/ExplainEmail");
const REQUEST = messageNamed<typeof SanitizeEmailRequestSchema>("SanitizeEmailRequest");

/** The schema's example, and one for each kind of rule. */
const { example: EXAMPLE = "" } = fieldOf(REQUEST, "email");
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

const loadList = () => import("./email-list.js").then(({ EmailList }) => EmailList);

/** Normalizes one address, or a list of addresses. */
export function EmailPanel() {
  const place = usePlace("email");
  return (
    <>
      <PanelHeading
        title="E-mail"
        about="Different spellings of one mailbox become one address."
        value={place.parameters.get("address") ?? ""}
      />
      <OneOrList place={place} label="Normalize" one="One address" loadList={loadList}>
        {(isShown) => isShown && <AddressForm place={place} />}
      </OneOrList>
    </>
  );
}

/** Normalizes an address as the user types, and explains each step. The URL has the address. */
function AddressForm({ place }: { readonly place: PanelPlace }) {
  const onPaste = useListPaste("email");
  const form = usePlaceForm(REQUEST, place, "email", "address");
  const { email = "" } = form.values;
  const request = { email };
  const sent = email === "" ? undefined : request;
  const explain = useAnswer(EXPLAIN, sent, TYPING_PAUSE);
  const sanitize = useAnswer(SANITIZE, sent, TYPING_PAUSE);
  const { answer: response, failure } = explain;
  useAnnouncement(response?.message.email ?? "");
  return (
    <div class="stack">
      <section class="card card-body" aria-label="Address">
        <FormField form={form} name="email" violations={explain.violations} isCode onPaste={onPaste} />
        <ExampleButtons
          label="Example addresses"
          examples={EXAMPLES}
          onPick={(example) => form.set("email", example)}
        />
      </section>
      {email !== "" && (
        <AnswerPlace isWaiting={explain.outcome === undefined}>
          {failure !== undefined && explain.violations.length === 0 && <ErrorView error={failure} />}
          {response !== undefined && (
            <div class="stack">
              <Mailbox response={response.message} onPick={(other) => form.set("email", other)} />
              <EmailSteps input={response.request.email ?? ""} steps={response.message.steps} />
            </div>
          )}
        </AnswerPlace>
      )}
      <ExchangeView {...sanitize} request={request} />
      <ExchangeView {...explain} request={request} />
    </div>
  );
}

interface MailboxProps {
  readonly response: Plain<ExplainEmailResponse>;
  /** Called with the suggested address. */
  readonly onPick: (address: string) => void;
}

/** The one spelling of the mailbox, and what is known about it. */
function Mailbox({ response, onPick }: MailboxProps) {
  const { email, didYouMean } = response;
  const { verdict, isWarning, findings } = describeMailbox(response);
  return (
    <section class="card card-body tight email-key" aria-label="Normalized address">
      <div class="row heading tight">
        <h2 class="code">{email}</h2>
        <CopyButton text={email} what="the normalized address" />
        <CopyLinkButton />
      </div>
      <p class={isWarning ? "email-warning" : undefined}>
        {verdict}
        {didYouMean !== "" && (
          <>
            {" "}
            Did you mean{" "}
            <button type="button" class="quiet code" onClick={() => onPick(didYouMean)}>
              {didYouMean}
            </button>
            ?
          </>
        )}
      </p>
      {findings.length > 0 && (
        <ul class="row tight">
          {findings.map((finding) => (
            <li key={finding} class="pill">
              {finding}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface EmailStepsProps {
  /** The address of the request. */
  readonly input: string;
  readonly steps: readonly Plain<EmailStep>[];
}

/** The rules that changed an address, in order, each with its change. */
function EmailSteps({ input, steps }: EmailStepsProps) {
  const id = useId();
  return (
    <section class="card card-body" aria-labelledby={id}>
      <h2 id={id} class="card-title">
        What changed
      </h2>
      {steps.length === 0 ? (
        <p>Nothing: the address is already in its normal form.</p>
      ) : (
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

function Step({ step, before }: { readonly step: Plain<EmailStep>; readonly before: string }) {
  return (
    <>
      <div>
        <h3 class="email-rule">{titleOfStep(step, before)}</h3>
        <p class="small soft">
          {step.description}
          {namedReferences(step).map(({ url, name }) => (
            <Fragment key={url}>
              {" "}
              <a href={url}>{name}</a>
            </Fragment>
          ))}
        </p>
      </div>
      <Diff before={before} after={step.result} />
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
        {parts.map(({ kind, text }, key) =>
          kind === "same" ? text : createElement(TAGS[kind], { key }, text),
        )}
      </span>
    </p>
  );
}
