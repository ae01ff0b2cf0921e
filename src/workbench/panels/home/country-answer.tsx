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
const NAMES_COUNTRY =
  /^KIND_(ALPHA\d|NUMERIC|FLAG|OTHER_CODE|((OFFICIAL|ALTERNATIVE|LOCAL|FORMER|TRANSLATED|OTHER)_)?NAME)$/;

/** Whether a match names a country itself. */
export function namesCountry({ kind }: Plain<CountryMatch>): boolean {
  return NAMES_COUNTRY.test(kind);
}

/** Returns the countries of matches, each once, the best first. */
export function countriesOf(matches: readonly Plain<CountryMatch>[]): readonly Plain<CountrySummary>[] {
  return [
    ...new Map(
      matches.flatMap(({ country }) => (country ? [[country.code2, country] as const] : [])),
    ).values(),
  ];
}

/** The facts that are shown, by their labels. */
const MAIN_FACTS = /^(Capital|Currenc|Languages?$|Calling code|Area)/;

interface CountryResultProps {
  readonly country: Plain<CountrySummary>;
  /** What the text was taken for. */
  readonly what: string;
  /** Other countries that the text means as well. */
  readonly others: readonly Plain<CountrySummary>[];
  readonly aside: ComponentChildren;
}

/** The main facts of a country. */
export function CountryResult({ country: { code2, name }, what, others, aside }: CountryResultProps) {
  const { message, failure } = useAnswer(GET, { country: code2 });
  const country = message?.country;
  const zones = country?.timeZones ?? [];
  const facts = country === undefined ? [] : countryFacts(country);
  return (
    <ResultCard
      tool="countries"
      what={what}
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
          Also: <CountryLinks countries={others} />
        </p>
      )}
    </ResultCard>
  );
}

/** Links to countries, in one line of text. */
export function CountryLinks({ countries }: { readonly countries: readonly Plain<CountrySummary>[] }) {
  return countries.map(({ code2, name }, index) => (
    <span key={code2}>
      {index > 0 && ", "}
      <a href={panelHash("countries", { value: code2 })}>{name}</a>
    </span>
  ));
}
