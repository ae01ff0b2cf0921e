import type { Country } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { Plain } from "../../schema/method.js";

/** A fact about a country in words, with a remark. */
export type CountryFact = readonly [label: string, values: readonly string[], remark: string | undefined];

const MEASURES: Readonly<Record<string, string>> = {
  metric: "Metric",
  uk: "Metric, with miles and pints",
  us: "US units: miles, pounds, °F",
};

/** Returns the facts about a country that are known, in words. */
export function countryFacts(country: Plain<Country>): CountryFact[] {
  const { code2, code3, numeric, currencies, languages, callingCodes, timeZones, areaKm2 } = country;
  const facts: (readonly [label: string, value: string | readonly string[], remark?: string])[] = [
    ["Codes", [code2, code3, numeric].filter(Boolean).join(", ")],
    ["Official name", capitalized(country.officialName)],
    ["Capital", country.capital],
    [
      currencies.length === 1 ? "Currency" : "Currencies",
      currencies.map(({ name, code, symbol }) =>
        symbol === "" ? `${name} (${code})` : `${name} (${code}, ${symbol})`,
      ),
    ],
    [
      languages.length === 1 ? "Language" : "Languages",
      languages.map(({ name, nativeName }) => (nativeName === name ? name : `${name} – ${nativeName}`)),
    ],
    ["Inhabitants", country.demonym],
    ["Calling code", callingCodes.join(", ")],
    ["Internet domain", country.topLevelDomain],
    ["Postal code", postalCode(country.postalCodeFormat), country.postalCodeFormat.replaceAll("|", " or ")],
    [timeZones.length === 1 ? "Time zone" : "Time zones", timeZones],
    ["Area", areaKm2 === 0 ? "" : `${areaKm2.toLocaleString("en")} km²`],
    ["Coast", country.landlocked ? "None: landlocked" : "On the sea"],
    ["Region", [...new Set([country.subregion, country.region])].filter(Boolean).join(", ")],
    ["Continent", country.continent],
    ["Member of", memberships(country)],
    ["Traffic", country.drivingSide === "" ? "" : `Drives on the ${country.drivingSide}`],
    ["Week starts on", capitalized(country.weekStart)],
    ["Measures", MEASURES[country.measurementSystem] ?? country.measurementSystem],
  ];
  return facts
    .map(([label, value, remark]) => [label, [value].flat().filter(Boolean), remark || undefined] as const)
    .filter(([, values]) => values.length > 0);
}

function memberships({ unMember, eu }: Plain<Country>): string {
  const names = [unMember && "United Nations", eu && "European Union"].filter(Boolean);
  return names.length === 0 ? "Neither the UN nor the EU" : names.join(", ");
}

/** Describes a format such as `####`, if it is of one kind of characters. */
function postalCode(formats: string): string {
  const [first = ""] = formats.split("|");
  if (first === "") {
    return "";
  }
  const isDigits = /^[# -]+$/.test(first);
  const count = first.replaceAll(/[ -]/g, "").length;
  return `${count} ${isDigits ? "digits" : "characters"}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
