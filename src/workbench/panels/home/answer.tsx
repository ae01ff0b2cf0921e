import type { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import type { ComponentChildren } from "preact";
import { CopyButton } from "../../kit/copy.js";
import { panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { useSession } from "../../kit/session.js";
import type { PastedList } from "../../list/pasted-list.js";
import { methodAt } from "../../schema/method.js";
import { AddressResult } from "./address-answer.js";
import { NetworkResult } from "./network-answer.js";
import { readingOf } from "./reading.js";
import { ResultCard } from "./result-card.js";
import { SecretResult } from "./secret-answer.js";
import { Suggestion } from "./suggestion.js";
import { BarcodeLink, TextResult } from "./text-answer.js";

const EXPLAIN = methodAt<typeof EmailService.method.explainEmail>("EmailService/ExplainEmail");

interface AnswerProps {
  readonly text: string;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** The answer to what was typed, by what it is taken for. */
export function HomeAnswer({ text, onPick }: AnswerProps) {
  const reading = readingOf(text);
  switch (reading.kind) {
    case "ip":
      return <AddressResult key={text} address={text} />;
    case "network":
      return reading.network === undefined ? (
        <Note what="Network">
          This is no network. Write an IP address, a slash and the length of the prefix: 0 to 32 for IPv4,
          such as 8.8.8.0/24, or 0 to 128 for IPv6.
        </Note>
      ) : (
        <NetworkResult key={text} network={reading.network} />
      );
    case "system":
      return (
        <Note what="Number of a network operator">
          AS{reading.number} is the number of a network operator. This service finds the operator of an
          address, but not the addresses of an operator: look up one of its addresses.
        </Note>
      );
    case "mac":
      return (
        <Note what="MAC address">
          This is the address of a network card. It is known only in its own network, and has no place. A
          place belongs to an IP address, such as 8.8.8.8.
        </Note>
      );
    case "list":
      return <ListResult list={reading.list} />;
    case "email":
      return <EmailResult key={text} text={text} onPick={onPick} />;
    case "secret":
      return <SecretResult key={text} text={text} />;
    case "text":
      return <TextResult key={text} text={text} onPick={onPick} />;
  }
}

interface NoteProps {
  readonly what: string;
  readonly children: ComponentChildren;
}

/** Why there is nothing to look up for a text about networks. */
function Note({ what, children }: NoteProps) {
  return (
    <ResultCard
      tool="geoip"
      what={what}
      title={what}
      heading=""
      error={undefined}
      link={{ href: panelHash("geoip"), text: "Open Geo IP" }}
    >
      <p>{children}</p>
    </ResultCard>
  );
}

/** How many addresses were entered. The link leads to the list of the panel, which takes them over in memory. */
function ListResult({ list: { panel, text, count } }: { readonly list: PastedList }) {
  const { handOver } = useSession();
  const what = `${count.toLocaleString("en")} ${panel === "geoip" ? "IP addresses" : "e-mail addresses"}`;
  return (
    <ResultCard
      tool={panel}
      what="List"
      title={what}
      error={undefined}
      link={{
        href: panelHash(panel, { parameters: { mode: "list" } }),
        text: "Open the list",
        onFollow: () => handOver.put(panel, text),
      }}
    />
  );
}

function EmailResult({ text: address, onPick }: AnswerProps) {
  const { message, failure } = useAnswer(EXPLAIN, { email: address });
  const { email = "", steps = [], didYouMean = "" } = message ?? {};
  return (
    <>
      <Suggestion text={didYouMean || undefined} onPick={onPick} />
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
    </>
  );
}
