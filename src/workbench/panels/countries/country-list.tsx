import {
  type CountrySummary,
  CountrySummarySchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import nativeNames from "../../../../data/native-names.json" with { type: "json" };
import { Flag } from "../../flags/flag.js";
import { useDrawsFlags } from "../../flags/use-draws-flags.js";
import { ErrorView } from "../../kit/error-view.js";
import { fieldLabel } from "../../kit/field-text.js";
import { useAnnouncement } from "../../kit/use-announcement.js";
import { indexCountries, searchCountries } from "./search-countries.js";
import type { Countries } from "./use-countries.js";

interface CountryListProps {
  readonly countries: Countries;
  /** The alpha-2 code of the one that is shown in detail. */
  readonly chosen: string;
  readonly onChoose: (code2: string) => void;
}

/** The list of countries, searched as somebody types. Arrow keys go from one to the next. */
export function CountryList({ countries: { call, list }, chosen, onChoose }: CountryListProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [region, setRegion] = useState("");
  const index = useMemo(() => indexCountries(list, nativeNames), [list]);
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
      // The list alone scrolls, and not the page.
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
      {/* No fieldset: what that scrolls cannot be scrolled by a script. */}
      <div ref={rows} class="country-rows" role="radiogroup" aria-label="Countries">
        <Rows name={id} found={found} chosen={chosen} onChoose={onChoose} />
      </div>
    </form>
  );
}

interface RowsProps {
  readonly name: string;
  readonly found: readonly CountrySummary[];
  readonly chosen: string;
  readonly onChoose: (code2: string) => void;
}

function Rows({ name, found, chosen, onChoose }: RowsProps) {
  const isDrawn = useDrawsFlags();
  return (
    <>
      {found.map(({ code2, code3, name: country, capital }) => (
        <label key={code2} class="country-row">
          <input
            type="radio"
            name={name}
            value={code2}
            checked={code2 === chosen}
            onChange={() => onChoose(code2)}
          />
          <Flag code={code2} isDrawn={isDrawn} />
          <span class="country-name">{country}</span>
          <span class="country-capital">{capital}</span>
          <code>{code3}</code>
        </label>
      ))}
    </>
  );
}
