import type {
  BarcodeService,
  RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import type { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { BlobImage } from "../../kit/image.js";
import { linkedHash, panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, messageNamed } from "../../schema/schema.js";
import { CountryResult, countriesOf, namesCountry } from "./country-answer.js";
import { mayBeSecret } from "./may-be-secret.js";
import { suggestionFor } from "./reading.js";
import { ResultCard } from "./result-card.js";
import { Suggestion } from "./suggestion.js";
import { ThingResult } from "./thing-answer.js";

const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");
const RENDER = methodAt<typeof BarcodeService.method.renderBarcode>("BarcodeService/RenderBarcode");
const REQUEST = messageNamed<typeof RenderBarcodeRequestSchema>("RenderBarcodeRequest");

/** The longest text that can be in a QR code, in characters. */
const { maxLength: MAX_TEXT = 0 } = fieldOf(REQUEST, "data");

/** A link that makes a QR code of a text; nothing if the text must not be in a link. */
export function BarcodeLink({ text }: { readonly text: string }) {
  const href = barcodeHash(text);
  return href === undefined ? null : <a href={href}>As a QR code</a>;
}

/** Returns the hash of the QR code of a text; undefined if a URL must not contain the text. */
function barcodeHash(text: string): string | undefined {
  return mayBeSecret(text) ? undefined : linkedHash("barcode", "data", text);
}

/** The longest name of a country or a thing, and the shortest one that resembles another, in characters. */
const MAX_NAME = 100;
const MIN_NEAR = 4;

interface TextResultProps {
  readonly text: string;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** A country or a thing in one, if the text is its name; else a QR code, with what was probably meant. */
export function TextResult({ text, onPick }: TextResultProps) {
  const canBeName = text.length <= MAX_NAME && !mayBeSecret(text);
  const { message, outcome } = useAnswer(SEARCH, canBeName ? { query: text, limit: 5 } : undefined);
  if (canBeName && outcome === undefined) {
    return <div class="card home-waiting" />;
  }
  const { matches = [], suggestions = [] } = message ?? {};
  const exact = matches.filter(({ match }) => match === "MATCH_EXACT");
  const [named, ...others] = countriesOf(exact.filter(namesCountry));
  const aside = <BarcodeLink text={text} />;
  if (named !== undefined) {
    return <CountryResult country={named} what="Country" others={others} aside={aside} />;
  }
  const [thing] = exact;
  if (thing !== undefined) {
    return <ThingResult text={text} match={thing} aside={aside} />;
  }
  const link = mayBeSecret(text) ? undefined : suggestionFor(text);
  const near = text.length < MIN_NEAR ? undefined : [...matches, ...suggestions].find(namesCountry);
  const name = near?.country?.name;
  return (
    <>
      <Suggestion
        text={link ?? name}
        remark={link || near?.value === name ? undefined : near?.value}
        onPick={onPick}
      />
      <BarcodeResult text={text} />
    </>
  );
}

function BarcodeResult({ text }: { readonly text: string }) {
  const isTooLong = text.length > MAX_TEXT;
  const { message, failure } = useAnswer(RENDER, isTooLong ? undefined : { data: text });
  const image = message?.image;
  const href = isTooLong ? undefined : barcodeHash(text);
  const tooLong = `This text has ${text.length.toLocaleString("en")} characters. A QR code holds up to 2,953 letters, or 7,089 digits: shorten it.`;
  return (
    <ResultCard
      tool="barcode"
      what="Text for a QR code"
      title={isTooLong ? "Too long for a QR code" : image === undefined ? "" : "QR code"}
      picture={<BlobImage body={image} alt="QR code of the text" />}
      below={isTooLong ? "" : text}
      error={failure}
      mistake={failure?.violations[0]?.reason === "DATA_DOES_NOT_FIT" ? tooLong : undefined}
      link={{ href: href ?? panelHash("barcode"), text: `Open ${href === undefined ? "" : "in "}QR code` }}
      aside={href === undefined && !isTooLong ? "This text may be a secret, so it is in no link." : undefined}
    >
      {isTooLong && <p>{tooLong}</p>}
    </ResultCard>
  );
}
