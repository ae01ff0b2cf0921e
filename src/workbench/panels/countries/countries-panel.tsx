import { useMemo, useState } from "preact/hooks";
import { PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { Loaded } from "../../kit/loaded.js";
import { type PanelPlace, panelHash, usePlace } from "../../kit/location.js";
import { useCountries } from "../../kit/service/countries.js";
import { Tabs } from "../../kit/tabs.js";
import { CountryPage } from "./country-page.js";
import { CountrySearch } from "./country-search.js";
import { languageChoices } from "./name-languages.js";
import "./countries.css";

const loadMap = () => import("./shaded-map.js").then(({ ShadedMap }) => ShadedMap);

const MODES = [
  { id: "list", title: "Countries" },
  { id: "map", title: "Map of a list" },
] as const;

/** All countries, one of them, or a map that is shaded by a list. */
export function CountriesPanel() {
  const place = usePlace("countries");
  const language = place.parameters.get("language") ?? "";
  const isMap = place.parameters.get("mode") === "map";
  const countries = useCountries(language);
  // Stays while the user looks at a country.
  const [query, setQuery] = useState("");
  const hrefOf = (value: string) => panelHash("countries", { value, parameters: { language } });
  const languages = <LanguageSelect place={place} language={language} />;
  if (place.value !== "") {
    return (
      <>
        <div class="row spread country-back">
          <a class="back" href={hrefOf("")}>
            All countries
          </a>
          {languages}
        </div>
        <CountryPage value={place.value} nameOf={countries.nameOf} language={language} />
      </>
    );
  }
  return (
    <>
      <PanelHeading
        title="Countries"
        about="Names in 90 languages, codes, capitals, currencies, calling codes, time zones and subdivisions."
      />
      <div class="bare-tabs">
        <Tabs
          label="Show"
          tabs={MODES}
          selected={isMap ? "map" : "list"}
          onSelect={(mode) => place.push({ parameters: mode === "map" ? { mode, language } : { language } })}
          aside={languages}
        >
          {isMap ? (
            <Loaded load={loadMap} props={{ countries: countries.list, nameOf: countries.nameOf }} />
          ) : (
            <CountrySearch countries={countries} query={query} onSearch={setQuery} hrefOf={hrefOf} />
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
  const choices = useMemo(() => {
    const names = new Intl.DisplayNames("en", { type: "language" });
    return languageChoices((tag) => names.of(tag));
  }, []);
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
