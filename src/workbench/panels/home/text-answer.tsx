import type { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import type { CountriesService, CountryMatch } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { BlobImage } from "../../kit/image.js";
import { linkedHash, panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { CountryResult, namedCountries } from "./country-answer.js";
import { mayBeSecret } from "./may-be-secret.js";
import { ResultCard } from "./result-card.js";

const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");
const RENDER = methodAt<typeof BarcodeService.method.renderBarcode>("BarcodeService/RenderBarcode");

/** A link that makes a QR code of a text; nothing if the text must not be in a link. */
export function BarcodeLink({ text }: { readonly text: string }) {
  const href = barcodeHash(text);
  return href === undefined ? null : <a href={href}>As a QR code</a>;
}

/** Returns the hash of the QR code of a text; undefined if a URL must not contain the text. */
function barcodeHash(text: string): string | undefined {
  return mayBeSecret(text) ? undefined : linkedHash("barcode", "data", text);
}

/** How long a text is searched among the names of countries. */
const MAX_NAME = 100;

interface TextResultProps {
  readonly text: string;
  /** Called with a text to look up instead. */
  readonly onPick: (text: string) => void;
}

/** A country, if the text is its name; else a QR code, with the nearest country. */
export function TextResult({ text, onPick }: TextResultProps) {
  const canBeName = text.length <= MAX_NAME && !text.includes("\n") && !mayBeSecret(text);
  const { message, outcome } = useAnswer(SEARCH, canBeName ? { query: text, limit: 5 } : undefined);
  if (canBeName && outcome === undefined) {
    return <div class="card home-waiting" />;
  }
  const { matches, suggestions } = message ?? { matches: [], suggestions: [] };
  const [named, ...others] = namedCountries(matches);
  return named === undefined ? (
    <BarcodeResult
      text={text}
      near={/^[a-z]+:/i.test(text) ? undefined : (matches[0] ?? suggestions[0])}
      onPick={onPick}
    />
  ) : (
    <CountryResult country={named} others={others} aside={<BarcodeLink text={text} />} />
  );
}

interface BarcodeResultProps extends TextResultProps {
  /** The country whose name is nearest to the text. */
  readonly near: Plain<CountryMatch> | undefined;
}

function BarcodeResult({ text, near, onPick }: BarcodeResultProps) {
  const { message, failure } = useAnswer(RENDER, { data: text });
  const image = message?.image;
  const href = barcodeHash(text);
  const { name = "" } = near?.country ?? {};
  return (
    <>
      {name !== "" && (
        <p class="home-suggestion">
          Did you mean{" "}
          <button type="button" class="quiet" onClick={() => onPick(name)}>
            {name}
          </button>
          {near?.value === name ? "" : ` (${near?.value})`}?
        </p>
      )}
      <ResultCard
        tool="barcode"
        what="Text for a QR code"
        title={image === undefined ? "" : "QR code"}
        picture={<BlobImage body={image} alt="QR code of the text" />}
        below={text}
        error={failure}
        link={{ href: href ?? panelHash("barcode"), text: `Open ${href === undefined ? "" : "in "}QR code` }}
        aside={href === undefined ? "This text may be a secret, so it is in no link." : undefined}
      />
    </>
  );
}
