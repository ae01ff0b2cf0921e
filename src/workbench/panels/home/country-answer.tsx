import type { ComponentChildren } from "preact";
import { Facts, timeFact } from "../../kit/answers/facts.js";
import { Flag } from "../../kit/answers/flag.js";
import { useJson } from "../../kit/service/send.js";
import { panelHash } from "../../panels.js";
import type { CountryAnswer, FoundCountry } from "./answers.js";
import { ResultCard } from "./result-card.js";

interface CountryResultProps {
  readonly match: FoundCountry;
  /** Other countries of the same name. */
  readonly others: readonly FoundCountry[];
  readonly aside: ComponentChildren;
}

/** The main facts of a country. */
export function CountryResult({ match, others, aside }: CountryResultProps) {
  const { code2, name } = match.country;
  const { answer, failure } = useJson<CountryAnswer>("CountriesService/GetCountry", { country: code2 });
  const country = answer?.country;
  return (
    <ResultCard
      tool="countries"
      what="Country"
      title={name}
      error={failure}
      link={{ href: panelHash("countries", { value: code2 }), text: "Open in Countries" }}
      aside={aside}
    >
      <div class="row heading home-title">
        <Flag code={code2} isTile />
        <div>
          <h2>
            {name} ({code2})
          </h2>
          {country !== undefined && country.native_name !== name && <p class="soft">{country.native_name}</p>}
        </div>
      </div>
      {country !== undefined && <CountryFacts country={country} />}
      {others.length > 0 && (
        <p>
          Also:{" "}
          {others.map((other, index) => (
            <span key={other.country.code2}>
              {index > 0 && ", "}
              <a href={panelHash("countries", { value: other.country.code2 })}>{other.country.name}</a>
            </span>
          ))}
        </p>
      )}
    </ResultCard>
  );
}

function CountryFacts({ country }: CountryAnswer) {
  const { capital, currencies, languages, calling_codes: callingCodes, time_zones: zones } = country;
  const [zone = ""] = zones.length === 1 ? zones : [];
  const area = country.area_km2 ?? 0;
  return (
    <Facts
      facts={[
        ["Capital", capital],
        ["Currency", currencies.map(({ name, code }) => `${name} (${code})`).join(", ")],
        ["Languages", languages.map(({ name }) => name).join(", ")],
        ["Calling code", callingCodes.join(", ")],
        ["Area", area === 0 ? "" : `${area.toLocaleString("en")} km²`],
        timeFact(zone),
      ]}
    />
  );
}
