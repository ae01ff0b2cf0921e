import type {
  CountriesService,
  CountryMatch,
  CountrySummary,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { ComponentChildren } from "preact";
import { Facts, timeFact } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { countryFacts } from "../countries/country-words.js";
import { ResultCard } from "./result-card.js";

const GET = methodAt<typeof CountriesService.method.getCountry>("CountriesService/GetCountry");

/** The kinds of a match that name a country itself, and not a thing in it. */
const NAMES_COUNTRY = /^KIND_(ALPHA\d|FLAG|((OFFICIAL|ALTERNATIVE|LOCAL|FORMER|TRANSLATED|OTHER)_)?NAME)$/;

/** Returns the countries that a text names exactly, each once, the best first. */
export function namedCountries(matches: readonly Plain<CountryMatch>[]): readonly Plain<CountrySummary>[] {
  const named = matches.filter(({ kind, match }) => match === "MATCH_EXACT" && NAMES_COUNTRY.test(kind));
  const countries = named.flatMap(({ country }) => (country === undefined ? [] : [[country.code2, country]]));
  return [...new Map(countries as [string, Plain<CountrySummary>][]).values()];
}

/** The facts that are shown, by their labels. */
const MAIN_FACTS = /^(Capital|Currenc|Languages?$|Calling code|Area)/;

interface CountryResultProps {
  readonly country: Plain<CountrySummary>;
  /** Other countries of the same name. */
  readonly others: readonly Plain<CountrySummary>[];
  readonly aside: ComponentChildren;
}

/** The main facts of a country. */
export function CountryResult({ country: { code2, name }, others, aside }: CountryResultProps) {
  const { message, failure } = useAnswer(GET, { country: code2 });
  const country = message?.country;
  const zones = country?.timeZones ?? [];
  const facts = country === undefined ? [] : countryFacts(country);
  return (
    <ResultCard
      tool="countries"
      what="Country"
      title={`${name} (${code2})`}
      picture={<Flag code={code2} isTile />}
      below={country?.nativeName === name ? "" : country?.nativeName}
      error={failure}
      link={{ href: panelHash("countries", { value: code2 }), text: "Open in Countries" }}
      aside={aside}
    >
      <Facts
        facts={[
          ...facts
            .filter(([label]) => MAIN_FACTS.test(label))
            .map(([label, values]) => [label, values.join(", ")] as const),
          timeFact(zones.length === 1 ? (zones[0] ?? "") : ""),
        ]}
      />
      {others.length > 0 && (
        <p>
          Also:{" "}
          {others.map((other, index) => (
            <span key={other.code2}>
              {index > 0 && ", "}
              <a href={panelHash("countries", { value: other.code2 })}>{other.name}</a>
            </span>
          ))}
        </p>
      )}
    </ResultCard>
  );
}
