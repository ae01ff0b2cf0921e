import { type Country, CountrySchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { Flag } from "../../flags/flag.js";
import { useDrawsFlags } from "../../flags/use-draws-flags.js";
import { FactList, NoValue } from "../../kit/fact-list.js";
import { formatCoordinates } from "../../map/format-coordinates.js";
import { WorldMap } from "../../map/world-map.js";
import { StateTable } from "./state-table.js";

/** What stands in the heading, and what has a table of its own. The rest is listed, also what the schema may get yet. */
const ELSEWHERE: readonly string[] = ["name", "flag", "nativeName", "states"] satisfies (keyof Country)[];

const FACTS = CountrySchema.fields
  .map(({ localName }) => localName)
  .filter((name) => !ELSEWHERE.includes(name));

/** All that the service knows of one country. */
export function CountryDetail({ country }: { readonly country: Country }) {
  const isDrawn = useDrawsFlags();
  const { name, nativeName, code2, coordinates, currencies, languages, states } = country;
  const show = {
    coordinates: () => (coordinates === undefined ? <NoValue /> : formatCoordinates(coordinates)),
    currencies: () => <List items={currencies.map((one) => `${one.name} (${one.code})`)} />,
    languages: () => (
      <List
        items={languages.map((one) =>
          one.nativeName === one.name ? one.name : `${one.name} – ${one.nativeName}`,
        )}
      />
    ),
    timeZones: () => <List items={country.timeZones} />,
  };
  const place = coordinates === undefined ? name : `${name}, ${formatCoordinates(coordinates)}`;
  return (
    <>
      <section class="card card-body" aria-label={name}>
        <div class="country-heading">
          <Flag code={code2} isDrawn={isDrawn} />
          <h2>{name}</h2>
          {nativeName !== name && <p>{nativeName}</p>}
        </div>
        <WorldMap label={place} countries={[code2]} points={coordinates === undefined ? [] : [coordinates]} />
        <FactList desc={CountrySchema} message={country} fields={FACTS} show={show} />
      </section>
      <StateTable key={code2} states={states} />
    </>
  );
}

/** Several values, one a line; the first few, and the rest on demand. */
function List({ items }: { readonly items: readonly string[] }) {
  const [first, rest] = [items.slice(0, SHOWN), items.slice(SHOWN)];
  const rows = (some: readonly string[]) => some.map((item) => <li key={item}>{item}</li>);
  return items.length === 0 ? (
    <NoValue />
  ) : (
    <>
      <ul>{rows(first)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul>{rows(rest)}</ul>
        </details>
      )}
    </>
  );
}

const SHOWN = 6;
