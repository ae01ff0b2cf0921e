import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { CountrySchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { expect, test } from "vitest";
import { countryFacts } from "../../../../src/workbench/panels/countries/country-words.js";
import { NAME_LANGUAGES } from "../../../../src/workbench/panels/countries/name-languages.js";

/** The fields that have a place of their own in the panel. */
const ELSEWHERE = "name nativeName localizedName flag coordinates states borders apiUrl".split(" ");

const SWITZERLAND = create(CountrySchema, {
  code2: "CH",
  code3: "CHE",
  numeric: "756",
  officialName: "the Swiss Confederation",
  capital: "Bern",
  currencies: [{ name: "Swiss Franc", code: "CHF" }],
  languages: [
    { name: "German", nativeName: "Deutsch" },
    { name: "Romansh", nativeName: "Romansh" },
  ],
  demonym: "Swiss",
  callingCodes: ["+41"],
  topLevelDomain: ".ch",
  postalCodeFormat: "####",
  timeZones: ["Europe/Zurich"],
  areaKm2: 41284,
  landlocked: true,
  subregion: "Western Europe",
  continent: "Europe",
  unMember: true,
  drivingSide: "right",
  weekStart: "monday",
  measurementSystem: "metric",
});

test("the facts of a country are words", () => {
  const lines = countryFacts(SWITZERLAND).map(([label, values, remark = ""]) =>
    `${label}: ${values.join("; ")} ${remark}`.trim(),
  );
  expect(lines).toEqual([
    "Codes: CH, CHE, 756",
    "Official name: The Swiss Confederation",
    "Capital: Bern",
    "Currency: Swiss Franc (CHF)",
    "Languages: German – Deutsch; Romansh",
    "Inhabitants: Swiss",
    "Calling code: +41",
    "Internet domain: .ch",
    "Postal code: 4 digits ####",
    "Time zone: Europe/Zurich",
    "Area: 41,284 km²",
    "Coast: None: landlocked",
    "Region: Western Europe",
    "Continent: Europe",
    "Member of: United Nations",
    "Traffic: Drives on the right",
    "Week starts on: Monday",
    "Measures: Metric",
  ]);
});

test("unknown facts are left out", () => {
  const labels = countryFacts(create(CountrySchema, { code2: "AQ", landlocked: false })).map(
    ([label]) => label,
  );
  expect(labels).toEqual(["Codes", "Coast", "Member of"]);
});

test("each field of the schema has a place", () => {
  // A field is read, or it is shown elsewhere in the panel.
  const read = new Set<string>();
  const spy = new Proxy(SWITZERLAND, {
    get: (target, name) => {
      read.add(String(name));
      return Reflect.get(target, name);
    },
  });
  countryFacts(spy);
  const missing = CountrySchema.fields
    .map(({ localName }) => localName)
    .filter((name) => !read.has(name) && !ELSEWHERE.includes(name));
  expect(missing).toEqual([]);
});

test("the languages are those of the data", () => {
  const file = join(import.meta.dirname, "../../../../data/country-names.json");
  const { languages } = JSON.parse(readFileSync(file, "utf8")) as { readonly languages: object };
  expect(NAME_LANGUAGES).toEqual(Object.keys(languages).sort());
});
