import type {
  CountriesService,
  SearchCountriesRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { ErrorView } from "../../kit/answers/error-view.js";
import { Flag } from "../../kit/answers/flag.js";
import { SearchInput } from "../../kit/form/fields.js";
import type { Call } from "../../kit/service/call.js";
import type { Countries } from "../../kit/service/countries.js";
import { useAnnouncement } from "../../kit/session.js";
import { fieldOf, labelOf, messageNamed } from "../../schema/schema.js";

type Search = typeof CountriesService.method.searchCountries;

interface CountryListProps {
  readonly countries: Countries;
  /** The search of `query`. */
  readonly search: Call<Search["input"], Search["output"]>;
  readonly query: string;
  /** Called when the user changes the query, which may be empty. */
  readonly onSearch: (query: string) => void;
  /** The alpha-2 code of the selected country. */
  readonly chosen: string;
  /** `isPassing`: the user may be on the way to another country with the arrow keys. */
  readonly onChoose: (code2: string, isPassing: boolean) => void;
}

const { maxLength: MAX_LENGTH } = fieldOf(
  messageNamed<typeof SearchCountriesRequestSchema>("SearchCountriesRequest"),
  "query",
);

/**
 * A list of countries with a search field: all, or those that the search finds, each with the value that matches. Arrow keys move
 * the selection.
 */
export function CountryList(props: CountryListProps) {
  const { countries, search, query, onSearch, chosen, onChoose } = props;
  const { call, list } = countries;
  const id = useId();
  const [region, setRegion] = useState("");
  const regions = useMemo(() => [...new Set(list.map((one) => one.region))].filter(Boolean).sort(), [list]);
  const matches = search.message?.matches;
  const found = useMemo(() => {
    const all =
      matches?.flatMap(({ country, value }) => (country === undefined ? [] : [{ country, value }])) ??
      list.map((country) => ({ country, value: country.name }));
    return all.filter(({ country }) => region === "" || country.region === region);
  }, [list, matches, region]);
  const isSearching = query.trim() !== "" && search.outcome === undefined;
  const count = isSearching
    ? "Searching …"
    : found.length === list.length
      ? `${list.length} countries`
      : `${found.length} of ${list.length}`;
  useAnnouncement(isSearching || (query === "" && region === "") ? "" : count);

  const rows = useRef<HTMLDivElement>(null);
  const isPassing = useRef(false);
  useEffect(() => {
    const row = rows.current?.querySelector<HTMLElement>(".country-row:has(:checked)");
    if (list.length > 0 && row && rows.current) {
      // scrollIntoView would scroll the page as well.
      rows.current.scrollTop = row.offsetTop - rows.current.clientHeight / 2;
    }
  }, [list]);

  return (
    <form
      class="card country-list"
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault();
        const [best] = found;
        if (best !== undefined && !search.isLoading) {
          onChoose(best.country.code2, false);
        }
      }}
    >
      <div class="country-search">
        <SearchInput
          label="Search by name, code or subdivision"
          data-search
          placeholder="Name, code or subdivision"
          maxLength={MAX_LENGTH}
          value={query}
          set={onSearch}
        />
        <select
          aria-label={labelOf("region")}
          class="control"
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
        <p class="country-count small soft numbers">{count}</p>
      </div>
      {call.failure !== undefined && <ErrorView error={call.failure} />}
      {search.failure !== undefined && <ErrorView error={search.failure} />}
      {/* Not a fieldset: scripts cannot scroll the content of one. */}
      <div
        ref={rows}
        class="country-rows"
        role="radiogroup"
        aria-label="Countries"
        onKeyDown={() => {
          isPassing.current = true;
        }}
        onPointerDown={() => {
          isPassing.current = false;
        }}
      >
        <AnswerPlace isWaiting={isSearching}>
          {found.map(({ country: { code2, code3, name, capital }, value }) => {
            const local = countries.nameOf(code2);
            return (
              <label key={code2} class="country-row">
                <input
                  type="radio"
                  name={id}
                  value={code2}
                  checked={code2 === chosen}
                  onChange={() => onChoose(code2, isPassing.current)}
                />
                <Flag code={code2} />
                <span class="country-name">{name}</span>
                <span class="country-value small soft">
                  {value !== name ? value : local === name || local === code2 ? capital : local}
                </span>
                <code class="soft">{code3}</code>
              </label>
            );
          })}
        </AnswerPlace>
      </div>
    </form>
  );
}
