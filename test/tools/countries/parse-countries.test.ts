import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCountries, parseSources } from "../../../src/tools/countries/parse-countries.js";
import { dataText } from "../../data/load-countries.js";

const state = { code: "FR-IDF", name: "Île-de-France", nativeName: "", type: "region", parent: "" };
const france = {
  code2: "FR",
  code3: "FRA",
  numeric: "250",
  name: "France",
  officialName: "the French Republic",
  nativeName: "France",
  flag: "🇫🇷",
  capital: "Paris",
  region: "Europe",
  subregion: "Western Europe",
  continent: "Europe",
  coordinates: { lat: 46, lon: 2 },
  currencies: [{ code: "EUR", name: "Euro", symbol: "€", minorUnits: 2 }],
  languages: [{ code: "fr", name: "French", nativeName: "Français" }],
  callingCodes: ["+33"],
  topLevelDomain: ".fr",
  timeZones: ["Europe/Paris"],
  eu: true,
  states: [state],
  borders: ["BE", "ES"],
  areaKm2: 551695,
  landlocked: false,
  unMember: true,
  drivingSide: "right",
  weekStart: "monday",
  measurementSystem: "metric",
  demonym: "French",
  postalCodeFormat: "#####",
  search: {
    alternativeNames: [],
    localNames: [],
    formerNames: ["Gaul"],
    phonePrefixes: ["+1416"],
    demonyms: [{ name: "French", language: "en" }],
    population: 68688000,
  },
};

/** Returns the description of the failure for a file with these countries. */
function description(...countries: unknown[]): string {
  const parsed = parseCountries({ countries });
  return parsed.ok ? "no failure" : parsed.failure.description;
}

describe("parseCountries", () => {
  it("returns countries, and ignores unknown fields", () => {
    const countries = [{ ...france, more: 1, states: [{ ...state, more: 1 }] }];
    expect(parseCountries({ license: "…", countries })).toEqual({ ok: true, value: [france] });
  });

  it.each([
    [{ code2: "fr" }, '.code2 must be two capital letters, not "fr"'],
    [{ code3: undefined }, ".code3 must be three capital letters, not missing"],
    [{ numeric: 250 }, ".numeric must be three digits or empty, not 250"],
    [{ name: "" }, '.name must be text that is not empty, not ""'],
    [{ flag: "FR" }, '.flag must be two regional indicator symbols, not "FR"'],
    [{ capital: null }, ".capital must be text, not null"],
    [{ coordinates: [46, 2] }, ".coordinates must be an object, not [46,2]"],
    [{ coordinates: { lat: 91, lon: 2 } }, ".coordinates.lat must be a number from -90 to 90, not 91"],
    [{ currencies: {} }, ".currencies must be a list, not {}"],
    [
      { currencies: [{ code: "EURO", name: "Euro" }] },
      '.currencies[0].code must be three capital letters, not "EURO"',
    ],
    [
      { currencies: [{ code: "EUR", name: "Euro", symbol: "€", minorUnits: 2.5 }] },
      ".currencies[0].minorUnits must be a whole number from 0 to 4, not 2.5",
    ],
    [{ languages: [null] }, ".languages[0] must be an object, not null"],
    [{ callingCodes: ["33"] }, '.callingCodes[0] must be a plus sign and one to seven digits, not "33"'],
    [{ topLevelDomain: "fr" }, '.topLevelDomain must be a dot and two small letters or empty, not "fr"'],
    [{ timeZones: ["CET"] }, '.timeZones[0] must be an IANA time zone, not "CET"'],
    [{ eu: "yes" }, '.eu must be true or false, not "yes"'],
    [{ borders: ["BEL"] }, '.borders[0] must be two capital letters, not "BEL"'],
    [{ drivingSide: "both" }, '.drivingSide must be one of "", "left", "right", not "both"'],
    [{ postalCodeFormat: "5d" }, '.postalCodeFormat must be formats of postal codes or empty, not "5d"'],
    [
      { search: { ...france.search, formerNames: [""] } },
      '.search.formerNames[0] must be text that is not empty, not ""',
    ],
    [
      { search: { ...france.search, phonePrefixes: ["416"] } },
      '.search.phonePrefixes[0] must be a plus sign and two to ten digits, not "416"',
    ],
    [
      { search: { ...france.search, population: -1 } },
      ".search.population must be a whole number from 0 to 10000000000, not -1",
    ],
    [
      { states: [{ ...state, code: "FR-ABCD" }] },
      '.states[0].code must be an ISO 3166-2 code, not "FR-ABCD"',
    ],
  ])("describes the error in %j", (fields, message) => {
    const expected = `file.countries[0]${message}`;
    expect(description({ ...france, ...fields })).toBe(expected);
  });

  it("rejects duplicate codes and codes of another country", () => {
    expect(description(france, france)).toBe("the code FR occurs twice");
    expect(description({ ...france, states: [state, state] })).toBe("the code FR-IDF occurs twice");
    expect(description({ ...france, states: [{ ...state, code: "GB-ENG" }] })).toBe(
      "the state GB-ENG must not be in FR",
    );
  });

  it.each([
    [null, "file must be an object, not null"],
    [[], "file must be an object, not []"],
    [{}, "file.countries must be a list, not missing"],
    [{ countries: [] }, "file.countries must not be empty"],
    [{ countries: ["x".repeat(100)] }, `file.countries[0] must be an object, not "${"x".repeat(59)}…`],
  ])("describes the error in the file %j", (json, message) => {
    expect(parseCountries(json)).toEqual({
      ok: false,
      failure: { reason: "BROKEN_COUNTRY_DATA", description: message },
    });
  });

  it("never throws for JSON or for similar records", () => {
    const near = fc.record(
      Object.fromEntries(
        Object.entries(france).map(([key, value]) => [key, fc.oneof(fc.constant(value), fc.jsonValue())]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ countries: fc.array(near) })), (json) => {
        const parsed = parseCountries(json);
        return parsed.ok || parsed.failure.description.startsWith("file");
      }),
      { numRuns: 300 },
    );
  });
});

const good = {
  name: "N",
  publisher: "P",
  url: "https://p.example",
  license: "MIT",
  attribution: "",
  version: "1",
};

describe("parseSources", () => {
  it("reads the committed file", () => {
    const parsed = parseSources(JSON.parse(dataText("SOURCES.json")));
    expect(parsed.ok && parsed.value.map(({ name, license }) => [name, license])).toEqual([
      ["Countries List", "MIT"],
      ["Unicode CLDR", "Unicode-3.0"],
      ["currency-codes", "MIT"],
      ["iso-3166", "MIT"],
      ["Countries States Cities Database", "ODbL-1.0"],
      ["Moment Timezone", "MIT"],
      ["World Countries", "ODbL-1.0"],
      ["libphonenumber-js", "MIT"],
      ["i18n-nationality", "MIT"],
      ["GeoNames", "CC-BY-4.0"],
      [
        "Aliases, codes, official and former names, driving sides and postal codes of countries",
        "Apache-2.0",
      ],
    ]);
  });

  it("ignores unknown fields", () => {
    expect(parseSources({ "countries.json": [{ ...good, package: "n", files: [] }] })).toEqual({
      ok: true,
      value: [{ ...good, builtAt: undefined }, expect.objectContaining({ publisher: "Utility Tools" })],
    });
  });

  it.each([
    [{}, "file.countries.json must be a list, not missing"],
    [
      { "countries.json": [{ ...good, url: "x" }] },
      'file.countries.json[0].url must be an https URL, not "x"',
    ],
    [{ "countries.json": [{ ...good, license: 1 }] }, "file.countries.json[0].license must be text"],
  ])("describes the error in %j", (json, problem) => {
    expect(parseSources(json)).toMatchObject({
      failure: { reason: "BROKEN_COUNTRY_DATA", description: expect.stringContaining(problem) },
    });
  });
});
