import type { Country } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useId } from "preact/hooks";
import { Facts } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { panelHash } from "../../kit/location.js";
import { formatCoordinates } from "../../map/projection.js";
import { WorldMap } from "../../map/world-map.js";
import type { Plain } from "../../schema/method.js";
import { countryFacts } from "./country-words.js";
import { StateList } from "./state-list.js";

interface CountryDetailProps {
  readonly country: Plain<Country>;
  /** Returns the name of another country by its alpha-2 code. */
  readonly nameOf: (code2: string) => string;
  /** The language of names, or "". */
  readonly language: string;
}

/** One country with a map, its facts in words, its neighbors and its subdivisions. */
export function CountryDetail({ country, nameOf, language }: CountryDetailProps) {
  const { name, nativeName, localizedName = "", code2, coordinates, states, borders } = country;
  const place = coordinates === undefined ? name : `${name}, ${formatCoordinates(coordinates)}`;
  return (
    <div class="stack">
      <section class="card card-body" aria-label={name}>
        <div class="row heading tight">
          <Flag code={code2} isTile />
          <h1>
            {name} ({code2})
          </h1>
          {localizedName !== "" && localizedName !== name && (
            <p class="soft" lang={language}>
              {localizedName}
            </p>
          )}
          {nativeName !== name && nativeName !== localizedName && <p class="soft">{nativeName}</p>}
          <CopyLinkButton />
        </div>
        <div class="columns country-detail">
          <Facts
            facts={countryFacts(country).map(([label, values, remark]) => [
              label,
              <List key={label} items={values} />,
              remark,
            ])}
          />
          <WorldMap
            label={place}
            countries={[code2]}
            points={coordinates === undefined ? [] : [coordinates]}
          />
        </div>
        {borders.length > 0 && <Neighbors codes={borders} nameOf={nameOf} language={language} />}
      </section>
      {states.length > 0 && <StateList key={code2} states={states} />}
    </div>
  );
}

interface NeighborsProps {
  readonly codes: readonly string[];
  readonly nameOf: (code2: string) => string;
  readonly language: string;
}

/** Links to the countries with a common border. */
function Neighbors({ codes, nameOf, language }: NeighborsProps) {
  const id = useId();
  return (
    <nav class="stack tight" aria-labelledby={id}>
      <h2 id={id} class="card-title">
        Neighbors
      </h2>
      <ul class="row tight">
        {codes.map((code) => (
          <li key={code}>
            <a class="button quiet" href={panelHash("countries", { value: code, parameters: { language } })}>
              <Flag code={code} />
              {nameOf(code)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** How many items of a list are shown before "more". */
const SHOWN_ITEMS = 6;

/** Values, one per line; the user can expand a long list. */
function List({ items }: { readonly items: readonly string[] }) {
  const [first, rest] = [items.slice(0, SHOWN_ITEMS), items.slice(SHOWN_ITEMS)];
  const rows = (some: readonly string[]) => some.map((item) => <li key={item}>{item}</li>);
  return items.length === 1 ? (
    <span>{items[0]}</span>
  ) : (
    <>
      <ul>{rows(first)}</ul>
      {rest.length > 0 && (
        <details class="fold">
          <summary>{rest.length} more</summary>
          <ul>{rows(rest)}</ul>
        </details>
      )}
    </>
  );
}
