import type { CountriesService, CountryMatch } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { ComponentChildren } from "preact";
import { panelHash } from "../../kit/location.js";
import { useAnswer } from "../../kit/service/call.js";
import { methodAt, type Plain } from "../../schema/method.js";
import { CountryLinks, CountryResult, countriesOf } from "./country-answer.js";
import { ResultCard } from "./result-card.js";

const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");

/** What a thing is, by the kind of its match. */
const THINGS: Readonly<Record<string, string>> = {
  KIND_CAPITAL: "Capital",
  KIND_CALLING_CODE: "Calling code",
  KIND_CURRENCY: "Currency",
  KIND_TOP_LEVEL_DOMAIN: "Internet domain",
  KIND_TIME_ZONE: "Time zone",
  KIND_SUBDIVISION_CODE: "Region",
  KIND_SUBDIVISION_NAME: "Region",
  KIND_PART: "Region",
  KIND_DEMONYM: "Inhabitants",
  KIND_CITY: "City",
  KIND_CURRENCY_NAME: "Currency",
  KIND_FORMER_CODE: "Former code",
  KIND_FORMER_CURRENCY: "Former currency",
};

/** What is said of several countries with a thing. Default: that they have it. */
const VERBS: Readonly<Record<string, string>> = {
  KIND_CURRENCY: "use",
  KIND_CURRENCY_NAME: "use",
  KIND_FORMER_CURRENCY: "used",
};

/** How many countries a search finds at most: more than there are. */
const ALL = 250;

interface ThingResultProps {
  /** What was typed. */
  readonly text: string;
  /** The best match. */
  readonly match: Plain<CountryMatch>;
  readonly aside: ComponentChildren;
}

/** The country of a thing, such as a capital or a calling code; for several countries, their number and names. */
export function ThingResult({ text, match: { kind, value }, aside }: ThingResultProps) {
  const { message, failure } = useAnswer(SEARCH, { query: text, limit: ALL });
  const same = message?.matches.filter((each) => each.match === "MATCH_EXACT" && each.kind === kind) ?? [];
  const countries = countriesOf(same);
  const [country, ...others] = countries;
  const what = THINGS[kind] ?? "Country";
  if (country !== undefined && others.length === 0) {
    return <CountryResult country={country} what={`${what}: ${value}`} others={[]} aside={aside} />;
  }
  const names = new Set(same.map((each) => each.value));
  const shown = names.size === 1 ? value : text;
  return (
    <ResultCard
      tool="countries"
      what={what}
      title={country === undefined ? "" : `${countries.length} countries ${VERBS[kind] ?? "have"} ${shown}`}
      error={failure}
      link={{ href: panelHash("countries"), text: "Open Countries" }}
      aside={aside}
    >
      <p>
        <CountryLinks countries={countries} />
      </p>
    </ResultCard>
  );
}
