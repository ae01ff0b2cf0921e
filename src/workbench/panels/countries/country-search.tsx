import type {
  CountriesService,
  SearchCountriesRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { Flag } from "../../kit/answers/flag.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { SearchInput } from "../../kit/form/fields.js";
import { TYPING_PAUSE, useAnswer } from "../../kit/service/call.js";
import type { Countries } from "../../kit/service/countries.js";
import { useAnnouncement } from "../../kit/session.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, labelOf, messageNamed } from "../../schema/schema.js";

const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");
const REQUEST = messageNamed<typeof SearchCountriesRequestSchema>("SearchCountriesRequest");

/** The query that snippets have before the user searches. */
const { example: EXAMPLE_QUERY = "", maxLength: MAX_LENGTH } = fieldOf(REQUEST, "query");

/** As many results as possible: all countries. */
const { maximum: LIMIT = 0 } = fieldOf(REQUEST, "limit");

interface CountrySearchProps {
  readonly countries: Countries;
  readonly query: string;
  /** Called when the user changes the query, which may be empty. */
  readonly onSearch: (query: string) => void;
  /** Returns the URL of a country. */
  readonly hrefOf: (code2: string) => string;
}

/** A search with a list of countries: all, or those that it finds, each with the value that matches. Enter opens the first one. */
export function CountrySearch({ countries, query, onSearch, hrefOf }: CountrySearchProps) {
  const { call, list } = countries;
  const typed = query.trim();
  const search = useAnswer(SEARCH, typed === "" ? undefined : { query, limit: LIMIT }, TYPING_PAUSE);
  const [region, setRegion] = useState("");
  const regions = useMemo(() => [...new Set(list.map((one) => one.region))].filter(Boolean).sort(), [list]);
  const { matches, suggestions = [] } = search.message ?? {};
  const found = useMemo(() => {
    const all =
      matches?.flatMap(({ country, value }) => (country === undefined ? [] : [{ country, value }])) ??
      list.map((country) => ({ country, value: country.name }));
    return all.filter(({ country }) => region === "" || country.region === region);
  }, [list, matches, region]);
  const isSearching = typed !== "" && search.outcome === undefined;
  const count = isSearching
    ? "Searching …"
    : found.length === list.length
      ? `${list.length} countries`
      : `${found.length} of ${list.length}`;
  useAnnouncement(isSearching || (query === "" && region === "") ? "" : count);
  const nearest = matches?.[0]?.match === "MATCH_SIMILAR" ? matches[0] : undefined;
  const suggested = nearest === undefined ? suggestions.flatMap(({ country }) => country ?? []) : [];
  return (
    <form
      class="stack"
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault();
        const [best] = found;
        if (best !== undefined && !isSearching) {
          location.assign(hrefOf(best.country.code2));
        }
      }}
    >
      <div class="row">
        <div class="country-query">
          <SearchInput
            label="Search by name, code or subdivision"
            data-search
            placeholder="Name, code or subdivision"
            maxLength={MAX_LENGTH}
            value={query}
            set={onSearch}
          />
        </div>
        <select
          aria-label={labelOf("region")}
          class="control country-region"
          value={region}
          onChange={({ currentTarget }) => setRegion(currentTarget.value)}
        >
          <option value="">All regions</option>
          {regions.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <p class="small soft numbers last">{count}</p>
      </div>
      {call.failure !== undefined && <ErrorView error={call.failure} />}
      {search.failure !== undefined && <ErrorView error={search.failure} />}
      <AnswerPlace isWaiting={isSearching || list.length === 0}>
        <div class="stack">
          {nearest?.country !== undefined && (
            <p role="status">
              Nothing is called “{typed}”. Did you mean{" "}
              <a href={hrefOf(nearest.country.code2)}>
                {nearest.value}
                {nearest.value === nearest.country.name ? "" : `, ${nearest.country.name}`}
              </a>
              ?
            </p>
          )}
          {matches?.length === 0 && <NothingFound query={typed} suggested={suggested} hrefOf={hrefOf} />}
          <ul class="country-rows" aria-label="Countries">
            {found.map(({ country: { code2, code3, name, capital }, value }) => {
              const local = countries.nameOf(code2);
              return (
                <li key={code2}>
                  <a class="country-row" href={hrefOf(code2)}>
                    <Flag code={code2} />
                    <span class="country-name">{name}</span>
                    <span class="country-value small soft">
                      {value !== name ? value : local === name || local === code2 ? capital : local}
                    </span>
                    <code class="soft">{code3}</code>
                  </a>
                </li>
              );
            })}
          </ul>
        </div>
      </AnswerPlace>
      <ExchangeView {...search} request={{ query: typed || EXAMPLE_QUERY, limit: LIMIT }} />
    </form>
  );
}

interface NothingFoundProps extends Pick<CountrySearchProps, "query" | "hrefOf"> {
  /** Countries that may be meant. */
  readonly suggested: readonly { readonly code2: string; readonly name: string }[];
}

/** Says which countries may be meant, and what can be searched. */
function NothingFound({ query, suggested, hrefOf }: NothingFoundProps) {
  return (
    <div class="card card-body">
      <h2>No country matches “{query}”</h2>
      {suggested.length > 0 && (
        <p>
          Did you mean{" "}
          {suggested.map(({ code2, name }, index) => (
            <Fragment key={code2}>
              {index === 0 ? "" : " or "}
              <a href={hrefOf(code2)}>{name}</a>
            </Fragment>
          ))}
          ?
        </p>
      )}
      <p class="help">You can search for:</p>
      <ul class="bullets">
        <li>a name in any of 90 languages, or an everyday name: Germany, Alemania, ドイツ, Holland</li>
        <li>a code of 2 or 3 letters, a number or a flag: DE, DEU, 276, 🇩🇪</li>
        <li>a currency, a calling code or an internet domain: EUR, euro, +49, 0049, .de</li>
        <li>a state, province or other part of a country: Yvelines, US-CA</li>
      </ul>
    </div>
  );
}
