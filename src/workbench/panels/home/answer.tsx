import { CopyButton } from "../../kit/copy.js";
import { useJson } from "../../kit/service/send.js";
import { panelHash } from "../../panels.js";
import { AddressResult } from "./address-answer.js";
import type { EmailAnswer } from "./answers.js";
import type { Reading } from "./reading.js";
import { ResultCard } from "./result-card.js";
import { SecretResult } from "./secret-answer.js";
import { BarcodeLink, TextResult } from "./text-answer.js";

interface AnswerProps {
  readonly reading: Reading;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** The answer to what was typed, by what it is taken for. A new text needs a new component. */
export function HomeAnswer({ reading, onPick }: AnswerProps) {
  switch (reading.kind) {
    case "ip":
      return <AddressResult address={reading.text} />;
    case "email":
      return <EmailResult address={reading.text} />;
    case "secret":
      return <SecretResult {...reading} />;
    case "text":
      return <TextResult text={reading.text} onPick={onPick} />;
  }
}

function EmailResult({ address }: { readonly address: string }) {
  const { answer, failure } = useJson<EmailAnswer>("EmailService/ExplainEmail", { email: address });
  return (
    <ResultCard
      tool="email"
      what="E-mail address"
      title={answer?.email ?? ""}
      error={failure}
      link={{ href: panelHash("email", { parameters: { address } }), text: "Open in E-mail" }}
      aside={<BarcodeLink text={address} />}
    >
      {answer !== undefined && (
        <>
          <div class="row heading home-title">
            <h2>{answer.email}</h2>
            <CopyButton text={answer.email} what="the normalized address" />
          </div>
          {answer.steps.length === 0 ? (
            <p>This is already the one spelling of the mailbox.</p>
          ) : (
            <ul class="bullets soft">
              {answer.steps.map(({ description }) => (
                <li key={description}>{description}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </ResultCard>
  );
}
