import type {
  CountriesService,
  GetCountryRequestSchema,
  SearchCountriesRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { Loaded } from "../../kit/loaded.js";
import { type PanelPlace, usePlace } from "../../kit/location.js";
import { TYPING_PAUSE, useAnswer, useCall } from "../../kit/service/call.js";
import { type Countries, useCountries } from "../../kit/service/countries.js";
import { Tabs } from "../../kit/tabs.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, messageNamed } from "../../schema/schema.js";
import { CountryDetail } from "./country-detail.js";
import { CountryList } from "./country-list.js";
import { languageChoices } from "./name-languages.js";
import "./countries.css";

const GET = methodAt<typeof CountriesService.method.getCountry>("CountriesService/GetCountry");
const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");
const SEARCH_REQUEST = messageNamed<typeof SearchCountriesRequestSchema>("SearchCountriesRequest");

/** The delay before a selected country is fetched, in milliseconds. A held arrow key passes many countries. */
const SELECTION_DELAY = 80;

/** The country that is shown when the URL has none. */
const { example: EXAMPLE_COUNTRY = "" } = fieldOf(
  messageNamed<typeof GetCountryRequestSchema>("GetCountryRequest"),
  "country",
);

/** The query that snippets have before the user searches. */
const { example: EXAMPLE_QUERY = "" } = fieldOf(SEARCH_REQUEST, "query");

/** As many results as possible: all countries. */
const { maximum: LIMIT = 0 } = fieldOf(SEARCH_REQUEST, "limit");

const loadMap = () => import("./shaded-map.js").then(({ ShadedMap }) => ShadedMap);

const MODES = [
  { id: "list", title: "Countries" },
  { id: "map", title: "Map of a list" },
] as const;

/** All countries with one in detail, or a map that is shaded by a list. */
export function CountriesPanel() {
  const place = usePlace("countries");
  const language = place.parameters.get("language") ?? "";
  const isMap = place.parameters.get("mode") === "map";
  const countries = useCountries(language);
  return (
    <>
      <PanelHeading
        title="Countries"
        service="CountriesService"
        value={place.value === "" ? "" : countries.nameOf(place.value)}
      />
      <div class="bare-tabs">
        <Tabs
          label="Show"
          tabs={MODES}
          selected={isMap ? "map" : "list"}
          onSelect={(mode) => place.push({ parameters: mode === "map" ? { mode, language } : { language } })}
          aside={<LanguageSelect place={place} language={language} />}
        >
          {isMap ? (
            <Loaded load={loadMap} props={{ countries: countries.list, nameOf: countries.nameOf }} />
          ) : (
            <CountryBrowser place={place} countries={countries} language={language} />
          )}
        </Tabs>
      </div>
      <ExchangeView {...countries.call} request={countries.request} />
    </>
  );
}

interface LanguageSelectProps {
  readonly place: PanelPlace;
  readonly language: string;
}

/** The language of the names of countries. */
function LanguageSelect({ place, language }: LanguageSelectProps) {
  const choices = useMemo(languageChoices, []);
  return (
    <label class="country-language small last">
      Names in{" "}
      <select
        class="control"
        value={language}
        onChange={({ currentTarget }) =>
          place.push({
            value: place.value,
            parameters: { ...Object.fromEntries(place.parameters), language: currentTarget.value },
          })
        }
      >
        <option value="">English</option>
        {choices
          .filter(({ tag }) => tag !== "en")
          .map(({ tag, title }) => (
            <option key={tag} value={tag}>
              {title}
            </option>
          ))}
      </select>
    </label>
  );
}

interface CountryBrowserProps {
  readonly place: PanelPlace;
  readonly countries: Countries;
  readonly language: string;
}

/** The list of all countries with the search, and one country in detail. */
function CountryBrowser({ place, countries, language }: CountryBrowserProps) {
  const { arrival, push, replace } = place;
  const [chosen, choose] = useState(arrival.value || EXAMPLE_COUNTRY);
  const request = { country: chosen, ...(language !== "" && { language }) };
  const get = useAnswer(GET, request, SELECTION_DELAY);
  const search = useCall(SEARCH);
  const [query, setQuery] = useState("");
  const searchRequest = { query: query.trim() || EXAMPLE_QUERY, limit: LIMIT };
  const detail = useRef<HTMLDivElement>(null);
  const [isPicked, setPicked] = useState(false);
  // A link or the back button changes the country in the URL.
  useEffect(() => choose(arrival.value || EXAMPLE_COUNTRY), [arrival]);

  const { matches, suggestions = [] } = search.message ?? {};
  const best = matches?.[0]?.country?.code2;
  // The outcome of each search: two searches in succession may have the same best match.
  useEffect(() => {
    if (best !== undefined) {
      choose(best);
      replace({ value: best, parameters: { language } });
    }
  }, [best, search.outcome, language, replace]);

  const isSearching = query.trim() !== "" && search.outcome === undefined;
  const isNothingFound = matches?.length === 0;
  const nearest = matches?.[0]?.match === "MATCH_SIMILAR" ? matches[0] : undefined;
  const country = get.message?.country;
  useEffect(() => {
    if (isPicked && country !== undefined) {
      // On a narrow screen the detail is below the list, possibly out of view.
      detail.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isPicked, country]);
  return (
    <div class="stack">
      <div class="columns countries">
        <CountryList
          countries={countries}
          search={search}
          query={query}
          onSearch={(text) => {
            setQuery(text);
            if (text.trim() === "") {
              search.reset();
            } else {
              search.send({ query: text, limit: LIMIT }, TYPING_PAUSE);
            }
          }}
          chosen={chosen}
          onChoose={(code, isPassing) => {
            setPicked(true);
            choose(code);
            (isPassing ? replace : push)({ value: code, parameters: { language } });
          }}
        />
        <div ref={detail} class="stack countries-detail">
          {isNothingFound ? (
            <NothingFound
              query={query}
              suggested={suggestions.flatMap(({ country }) => country ?? [])}
              onChoose={(code) => {
                setQuery("");
                search.reset();
                choose(code);
                push({ value: code, parameters: { language } });
              }}
            />
          ) : (
            <>
              {nearest?.country !== undefined && (
                <p class="card card-body" role="status">
                  Nothing is called “{query.trim()}”. Did you mean {nearest.value}
                  {nearest.value === nearest.country.name ? "" : `, ${nearest.country.name}`}?
                </p>
              )}
              <AnswerPlace isWaiting={get.outcome === undefined || isSearching}>
                {get.failure !== undefined && <ErrorView error={get.failure} />}
                {country !== undefined && (
                  <CountryDetail country={country} nameOf={countries.nameOf} language={language} />
                )}
              </AnswerPlace>
            </>
          )}
        </div>
      </div>
      <ExchangeView {...get} request={request} />
      <ExchangeView {...search} request={searchRequest} />
    </div>
  );
}

interface NothingFoundProps {
  readonly query: string;
  /** Countries that may be meant. */
  readonly suggested: readonly { readonly code2: string; readonly name: string }[];
  /** Called with the alpha-2 code of a country that the user chooses. */
  readonly onChoose: (code2: string) => void;
}

/** Says which countries may be meant, and what can be searched. */
function NothingFound({ query, suggested, onChoose }: NothingFoundProps) {
  return (
    <div class="card card-body">
      <h2>No country matches “{query.trim()}”</h2>
      {suggested.length > 0 && (
        <p>
          Did you mean{" "}
          {suggested.map(({ code2, name }, index) => (
            <Fragment key={code2}>
              {index === 0 ? "" : " or "}
              <button type="button" class="quiet" onClick={() => onChoose(code2)}>
                {name}
              </button>
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
