import {
  CountriesService,
  type Country,
  CountryMatch_Match,
  CountrySchema,
  GetCountryRequestSchema,
  SearchCountriesRequestSchema,
  type State,
  StateSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { TYPING_PAUSE, useCall } from "../../kit/call.js";
import { PanelHeading, Prose } from "../../kit/content.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { Flag, useCountries } from "../../kit/country.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { FactList, FieldTable, FieldValue, fieldValueOf, NoValue } from "../../kit/facts.js";
import { useForm } from "../../kit/form.js";
import { usePlace } from "../../kit/location.js";
import { commentOf, fieldLabel } from "../../kit/text.js";
import { formatCoordinates } from "../../map/projection.js";
import { WorldMap } from "../../map/world-map.js";
import { panelHash } from "../../panels.js";
import { CountryList } from "./country-list.js";
import { filterStates } from "./filter-states.js";
import "./countries.css";

const { getCountry, searchCountries } = CountriesService.method;

const EMPTY_REQUEST = {};

/** The delay before a selected country is fetched, in milliseconds. A held arrow key passes many countries. */
const SELECTION_DELAY = 80;

/** The country that is shown when the URL has none. */
const EXAMPLE_COUNTRY = fieldDocsOf(GetCountryRequestSchema.field.country).example;

/** The query that snippets have before the user searches. */
const EXAMPLE_QUERY = fieldDocsOf(SearchCountriesRequestSchema.field.query).example;

/** As many results as possible: all countries. */
const LIMIT = fieldDocsOf(SearchCountriesRequestSchema.field.limit).maximum;

/** The list of all countries with the search, and one country in detail. */
export function CountriesPanel() {
  const countries = useCountries();
  const { value, push, replace } = usePlace("countries");
  const { values, set, request } = useForm(GetCountryRequestSchema, { country: value || EXAMPLE_COUNTRY });
  const get = useCall(getCountry);
  const search = useCall(searchCountries);
  const [query, setQuery] = useState("");
  const searchRequest = useMemo(() => ({ query: query.trim() || EXAMPLE_QUERY, limit: LIMIT }), [query]);
  const { outcome, send } = get;
  const detail = useRef<HTMLDivElement>(null);
  const [isPicked, setPicked] = useState(false);
  useEffect(() => send(request, SELECTION_DELAY), [send, request]);
  // A link or the back button changes the country in the URL.
  useEffect(() => set("country", value || EXAMPLE_COUNTRY), [value, set]);

  const matches = search.outcome?.ok === true ? search.outcome.value.message.matches : undefined;
  const best = matches?.[0]?.country?.code2;
  // The outcome of each search: two searches in succession may have the same best match.
  useEffect(() => {
    if (best !== undefined) {
      set("country", best);
      replace({ value: best });
    }
  }, [best, search.outcome, set, replace]);

  const isNothingFound = matches?.length === 0;
  const nearest = matches?.[0]?.match === CountryMatch_Match.SIMILAR ? matches[0] : undefined;
  const country = outcome?.ok === true ? outcome.value.message.country : undefined;
  useEffect(() => {
    if (isPicked && country !== undefined) {
      // On a narrow screen the detail is below the list, possibly out of view.
      detail.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isPicked, country]);
  return (
    <>
      <PanelHeading title="Countries" service={CountriesService} />
      <div class="stack">
        <div class="countries">
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
            chosen={values.country ?? ""}
            onChoose={(code, isPassing) => {
              setPicked(true);
              set("country", code);
              (isPassing ? replace : push)({ value: code });
            }}
          />
          <div ref={detail} class="countries-detail">
            {isNothingFound ? (
              <NothingFound query={query} />
            ) : (
              <>
                {nearest?.country !== undefined && (
                  <p class="card card-body" role="status">
                    Nothing is called “{query.trim()}”. Did you mean {nearest.value}
                    {nearest.value === nearest.country.name ? "" : `, ${nearest.country.name}`}?
                  </p>
                )}
                {outcome?.ok === false && <ErrorView error={outcome.failure} />}
                {country !== undefined && <CountryDetail country={country} nameOf={countries.nameOf} />}
              </>
            )}
          </div>
        </div>
        <ExchangeView {...get} request={request} />
        <ExchangeView {...search} request={searchRequest} />
        <ExchangeView {...countries.call} request={EMPTY_REQUEST} />
      </div>
    </>
  );
}

/** Says what can be searched. */
function NothingFound({ query }: { readonly query: string }) {
  return (
    <div class="card card-body">
      <h2>No country matches “{query.trim()}”</h2>
      <p class="help">You can search for:</p>
      <ul class="search-hints">
        <li>a name in any of 90 languages, or an everyday name: Germany, Alemania, ドイツ, Holland</li>
        <li>a code of 2 or 3 letters, a number or a flag: DE, DEU, 276, 🇩🇪</li>
        <li>a currency, a calling code or an internet domain: EUR, euro, +49, 0049, .de</li>
        <li>a state, province or other part of a country: Yvelines, US-CA</li>
      </ul>
    </div>
  );
}

/** Fields shown in the heading or in a table of their own. All others are listed, including fields added to the schema later. */
const SHOWN_ELSEWHERE: readonly string[] = [
  "name",
  "flag",
  "nativeName",
  "states",
  "borders",
  "code2",
  "apiUrl",
] satisfies (keyof Country)[];

const FACTS = CountrySchema.fields
  .map(({ localName }) => localName)
  .filter((name) => !SHOWN_ELSEWHERE.includes(name));

/** Whether a field of a country is known. */
function isKnown(value: unknown): boolean {
  return value !== undefined && value !== "" && value !== 0 && !(Array.isArray(value) && value.length === 0);
}

interface CountryDetailProps {
  readonly country: Country;
  /** Returns the name of another country by its alpha-2 code. */
  readonly nameOf: (code2: string) => string;
}

/** All known fields of one country, its neighbors and its states. */
function CountryDetail({ country, nameOf }: CountryDetailProps) {
  const { name, nativeName, code2, coordinates, currencies, languages, states, borders } = country;
  const show = {
    coordinates: () => (coordinates === undefined ? <NoValue /> : formatCoordinates(coordinates)),
    currencies: () => (
      <List
        items={currencies.map(
          ({ name, code, symbol }) => `${name} (${symbol === "" ? code : `${code}, ${symbol}`})`,
        )}
      />
    ),
    languages: () => (
      <List
        items={languages.map((one) =>
          one.nativeName === one.name ? one.name : `${one.name} – ${one.nativeName}`,
        )}
      />
    ),
    timeZones: () => <List items={country.timeZones} />,
    areaKm2: () => `${country.areaKm2.toLocaleString("en")} km²`,
  };
  const place = coordinates === undefined ? name : `${name}, ${formatCoordinates(coordinates)}`;
  return (
    <>
      <section class="card card-body" aria-label={name}>
        <div class="country-heading">
          <Flag code={code2} />
          <h2>
            {name} ({code2})
          </h2>
          {nativeName !== name && <p>{nativeName}</p>}
          <CopyLinkButton />
        </div>
        <WorldMap label={place} countries={[code2]} points={coordinates === undefined ? [] : [coordinates]} />
        <FactList
          desc={CountrySchema}
          message={country}
          fields={FACTS.filter((fact) => isKnown(Reflect.get(country, fact)))}
          show={show}
        />
        {borders.length > 0 && <Neighbors codes={borders} nameOf={nameOf} />}
      </section>
      <StateTable key={code2} states={states} />
    </>
  );
}

interface NeighborsProps {
  readonly codes: readonly string[];
  readonly nameOf: (code2: string) => string;
}

/** Links to the countries with a common border. */
function Neighbors({ codes, nameOf }: NeighborsProps) {
  const id = useId();
  return (
    <nav class="neighbors" aria-labelledby={id}>
      <h3 id={id}>Neighbors</h3>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <a class="button quiet" href={panelHash("countries", { value: code })}>
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

const STATES = CountrySchema.field.states;

/** The states of a country with a filter. */
function StateTable({ states }: { readonly states: readonly State[] }) {
  const id = useId();
  const [text, setText] = useState("");
  const found = useMemo(() => filterStates(states, text), [states, text]);
  const [one = ""] = states.map(({ type }) => type);
  const type = states.every((state) => state.type === one) ? one : "";
  // Omit columns in which every state is empty, and a type that all have in common.
  const columns = useMemo(
    () =>
      StateSchema.fields.filter(
        (field) =>
          states.some((state) => fieldValueOf(state, field) !== "") &&
          !(field === StateSchema.field.type && type !== ""),
      ),
    [states, type],
  );
  return (
    <div class="card card-body">
      <div class="state-head">
        <h2 id={`${id}-title`}>
          {fieldLabel(STATES)}{" "}
          <span class="country-count">
            {states.length}
            {type !== "" && ` · type: ${type}`}
          </span>
        </h2>
        <label class="off-screen" for={id}>
          Filter {fieldLabel(STATES)}
        </label>
        {states.length > 0 && (
          <input
            id={id}
            class="control"
            type="search"
            placeholder="Filter"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </div>
      <p class="help">
        <Prose text={commentOf(STATES)} />
      </p>
      {found.length > 0 && (
        <FieldTable fields={columns} name={{ id: `${id}-title` }}>
          {found.map((state) => (
            <tr key={state.code}>
              {columns.map((field) => {
                const Cell = field === StateSchema.field.code ? "th" : "td";
                return (
                  <Cell key={field.localName} scope={Cell === "th" ? "row" : undefined}>
                    <FieldValue field={field} value={fieldValueOf(state, field)} />
                  </Cell>
                );
              })}
            </tr>
          ))}
        </FieldTable>
      )}
    </div>
  );
}
