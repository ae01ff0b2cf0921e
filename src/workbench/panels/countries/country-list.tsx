import { CountrySummarySchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import nativeNames from "../../../../data/native-names.json" with { type: "json" };
import { type Countries, Flag } from "../../kit/country.js";
import { ErrorView } from "../../kit/exchange.js";
import { useAnnouncement } from "../../kit/session.js";
import { fieldLabel } from "../../kit/text.js";
import { createSearchIndex, searchCountries } from "./search.js";

interface CountryListProps {
  readonly countries: Countries;
  /** The alpha-2 code of the selected country. */
  readonly chosen: string;
  readonly onChoose: (code2: string) => void;
}

/** A list of countries with a search field. Arrow keys move the selection. */
export function CountryList({ countries: { call, list }, chosen, onChoose }: CountryListProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [region, setRegion] = useState("");
  const index = useMemo(() => createSearchIndex(list, nativeNames), [list]);
  const regions = useMemo(() => [...new Set(list.map((one) => one.region))].filter(Boolean).sort(), [list]);
  const found = useMemo(
    () => searchCountries(index, text).filter((one) => region === "" || one.region === region),
    [index, text, region],
  );
  const count =
    found.length === list.length ? `${list.length} countries` : `${found.length} of ${list.length}`;
  useAnnouncement(text === "" && region === "" ? "" : count);

  const rows = useRef<HTMLDivElement>(null);
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
        if (best !== undefined) {
          onChoose(best.code2);
        }
      }}
    >
      <div class="country-search">
        <label class="off-screen" for={`${id}-text`}>
          Search by name, code or capital
        </label>
        <input
          id={`${id}-text`}
          class="control"
          type="search"
          placeholder="Name, code or capital"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <label class="off-screen" for={`${id}-region`}>
          {fieldLabel(CountrySummarySchema.field.region)}
        </label>
        <select
          id={`${id}-region`}
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
        <p class="country-count">{count}</p>
      </div>
      {call.outcome?.ok === false && <ErrorView error={call.outcome.failure} />}
      {/* Not a fieldset: scripts cannot scroll the content of one. */}
      <div ref={rows} class="country-rows" role="radiogroup" aria-label="Countries">
        {found.map(({ code2, code3, name, capital }) => (
          <label key={code2} class="country-row">
            <input
              type="radio"
              name={id}
              value={code2}
              checked={code2 === chosen}
              onChange={() => onChoose(code2)}
            />
            <Flag code={code2} />
            <span class="country-name">{name}</span>
            <span class="country-capital">{capital}</span>
            <code>{code3}</code>
          </label>
        ))}
      </div>
    </form>
  );
}
