import { BlobImage } from "../../kit/image.js";
import { formatPlace, parsePlace } from "../../kit/location.js";
import { useJson } from "../../kit/service/send.js";
import { panelHash } from "../../panels.js";
import { type FoundCountry, type ImageAnswer, namedCountries, type SearchAnswer } from "./answers.js";
import { CountryResult } from "./country-answer.js";
import { mayBeSecret } from "./reading.js";
import { ResultCard } from "./result-card.js";

/** A link that makes a QR code of a text; nothing if the text must not be in a link. */
export function BarcodeLink({ text }: { readonly text: string }) {
  const href = barcodeHash(text);
  return href === undefined ? null : <a href={href}>As a QR code</a>;
}

/** Returns the hash of the QR code of a text; undefined if a URL must not contain the text. */
function barcodeHash(text: string): string | undefined {
  const hash = formatPlace({ panel: "barcode", value: "", parameters: new URLSearchParams({ data: text }) });
  return mayBeSecret(text) || parsePlace(hash)?.parameters.get("data") !== text ? undefined : hash;
}

/** How long a text is searched among the names of countries. */
const MAX_NAME = 100;

/** A country, if the text is its name; else a QR code, with the nearest country. */
export function TextResult({
  text,
  onPick,
}: {
  readonly text: string;
  readonly onPick: (text: string) => void;
}) {
  const canBeName = text.length <= MAX_NAME && !text.includes("\n") && !mayBeSecret(text);
  const { answer, outcome } = useJson<SearchAnswer>(
    "CountriesService/SearchCountries",
    canBeName ? { query: text, limit: 5 } : undefined,
  );
  if (canBeName && outcome === undefined) {
    return <div class="card home-waiting" />;
  }
  const { matches, suggestions } = answer ?? { matches: [], suggestions: [] };
  const [named, ...others] = namedCountries(matches);
  return named === undefined ? (
    <BarcodeResult
      text={text}
      near={/^[a-z]+:/i.test(text) ? undefined : (matches[0] ?? suggestions[0])}
      onPick={onPick}
    />
  ) : (
    <CountryResult match={named} others={others} aside={<BarcodeLink text={text} />} />
  );
}

interface BarcodeResultProps {
  readonly text: string;
  /** The country whose name is nearest to the text. */
  readonly near: FoundCountry | undefined;
  readonly onPick: (text: string) => void;
}

function BarcodeResult({ text, near, onPick }: BarcodeResultProps) {
  const { answer, failure } = useJson<ImageAnswer>("BarcodeService/RenderBarcode", { data: text });
  const image = answer?.image;
  const href = barcodeHash(text);
  return (
    <>
      {near !== undefined && (
        <p class="home-suggestion">
          Did you mean{" "}
          <button type="button" class="quiet" onClick={() => onPick(near.country.name)}>
            {near.country.name}
          </button>
          {near.value === near.country.name ? "" : ` (${near.value})`}?
        </p>
      )}
      <ResultCard
        tool="barcode"
        what="Text for a QR code"
        title={image === undefined ? "" : "QR code"}
        error={failure}
        link={{ href: href ?? panelHash("barcode"), text: `Open ${href === undefined ? "" : "in "}QR code` }}
        aside={href === undefined ? "This text may be a secret, so it is in no link." : undefined}
      >
        {image !== undefined && (
          <div class="home-barcode">
            <BlobImage body={image} alt="QR code of the text" />
            <div>
              <h2>QR code</h2>
              <p class="home-text soft">{text}</p>
            </div>
          </div>
        )}
      </ResultCard>
    </>
  );
}
