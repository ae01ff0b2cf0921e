import type { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { kindOfInput } from "../../../text/recognize-input.js";
import { CopyButton } from "../../kit/copy.js";
import { panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt } from "../../schema/method.js";
import { AddressResult } from "./address-answer.js";
import { ResultCard } from "./result-card.js";
import { SecretResult } from "./secret-answer.js";
import { BarcodeLink, TextResult } from "./text-answer.js";

const EXPLAIN = methodAt<typeof EmailService.method.explainEmail>("EmailService/ExplainEmail");

interface AnswerProps {
  readonly text: string;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** The answer to what was typed, by what it is taken for. */
export function HomeAnswer({ text, onPick }: AnswerProps) {
  switch (kindOfInput(text)) {
    case "ip":
      return <AddressResult key={text} address={text} />;
    case "email":
      return <EmailResult key={text} address={text} />;
    case "secret":
      return <SecretResult key={text} text={text} />;
    case "text":
      return <TextResult key={text} text={text} onPick={onPick} />;
  }
}

function EmailResult({ address }: { readonly address: string }) {
  const { message: { email, steps } = { email: "", steps: [] }, failure } = useAnswer(EXPLAIN, {
    email: address,
  });
  return (
    <ResultCard
      tool="email"
      what="E-mail address"
      title={email}
      button={<CopyButton text={email} what="the normalized address" />}
      error={failure}
      link={{ href: panelHash("email", { parameters: { address } }), text: "Open in E-mail" }}
      aside={<BarcodeLink text={address} />}
    >
      {email !== "" && steps.length === 0 && <p>This is already the one spelling of the mailbox.</p>}
      <ul class="bullets soft">
        {steps.map(({ description }) => (
          <li key={description}>{description}</li>
        ))}
      </ul>
    </ResultCard>
  );
}
