import type { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { CopyButton } from "../../kit/copy.js";
import { Loaded } from "../../kit/loaded.js";
import { panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { useSession } from "../../kit/session.js";
import type { PastedList } from "../../list/pasted-list.js";
import { formatCoordinates } from "../../map/projection.js";
import { methodAt } from "../../schema/method.js";
import { AddressResult, loadMap } from "./address-answer.js";
import { NetworkResult } from "./network-answer.js";
import { readingOf } from "./reading.js";
import { ResultCard } from "./result-card.js";
import { SecretResult } from "./secret-answer.js";
import { Suggestion } from "./suggestion.js";
import { SystemResult } from "./system-answer.js";
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
      return <AddressResult key={text} address={reading.text} />;
    case "network":
      return <NetworkResult key={text} network={reading.network} />;
    case "note":
      return <NoteResult what={reading.what} note={reading.note} />;
    case "place":
      return <PlaceResult key={text} {...reading} />;
    case "asn":
      return <SystemResult key={text} text={text} />;
    case "list":
      return <ListResult list={reading.list} />;
    case "email":
      return <EmailResult key={text} text={reading.text} onPick={onPick} />;
    case "secret":
      return <SecretResult key={text} text={reading.text} />;
    case "text":
      return <TextResult key={text} text={text} onPick={onPick} />;
  }
}

/** Why there is nothing to look up for a text about networks. */
function NoteResult({ what, note }: { readonly what: string; readonly note: string }) {
  return (
    <ResultCard
      tool="geoip"
      what={what}
      title={what}
      heading=""
      error={undefined}
      link={{ href: panelHash("geoip"), text: "Open Geo IP" }}
    >
      <p>{note}</p>
    </ResultCard>
  );
}

interface PlaceResultProps {
  readonly latitude: string;
  readonly longitude: string;
  /** Their `geo:` URI. */
  readonly uri: string;
}

/** Coordinates on the map, and their QR code. */
function PlaceResult({ latitude, longitude, uri }: PlaceResultProps) {
  const point = { lat: Number(latitude), lon: Number(longitude) };
  const label = formatCoordinates(point);
  return (
    <ResultCard
      tool="barcode"
      what="Coordinates"
      title={`${latitude}, ${longitude}`}
      below={label}
      error={undefined}
      link={{ href: panelHash("barcode", { parameters: { data: uri } }), text: "Open in QR code" }}
    >
      <p>What is at a place is not known here. A phone that scans the QR code shows the place on its map.</p>
      <div class="home-map">
        <Loaded load={loadMap} props={{ label, countries: [], points: [point] }} />
      </div>
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
