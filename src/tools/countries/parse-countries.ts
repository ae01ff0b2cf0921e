import type { Failure, Result } from "../../result.js";
import type { Coordinates, Country, Currency, Language, State } from "./country.js";
import {
  anyText,
  listOf,
  numberBetween,
  objectOf,
  readCountryData,
  ShapeError,
  someText,
  text,
  truth,
} from "./json-reader.js";

const country = objectOf<Country>({
  code2: text(/^[A-Z]{2}$/, "two capital letters"),
  code3: text(/^[A-Z]{3}$/, "three capital letters"),
  numeric: text(/^(?:[0-9]{3})?$/, "three digits or empty"),
  name: someText,
  officialName: someText,
  nativeName: someText,
  flag: text(/^[\u{1f1e6}-\u{1f1ff}]{2}$/u, "two regional indicator symbols"),
  capital: anyText,
  region: anyText,
  subregion: anyText,
  continent: someText,
  coordinates: objectOf<Coordinates>({ lat: numberBetween(-90, 90), lon: numberBetween(-180, 180) }),
  currencies: listOf(
    objectOf<Currency>({ code: text(/^[A-Z]{3}$/, "three capital letters"), name: someText }),
  ),
  languages: listOf(
    objectOf<Language>({
      code: text(/^[a-z]{2,3}$/, "two or three small letters"),
      name: someText,
      nativeName: someText,
    }),
  ),
  callingCodes: listOf(text(/^\+[1-9][0-9]{0,6}$/, "a plus sign and one to seven digits")),
  topLevelDomain: text(/^(?:\.[a-z]{2})?$/, "a dot and two small letters or empty"),
  timeZones: listOf(text(/^[A-Za-z_+-]+(?:\/[A-Za-z_+-]+){1,2}$/, "an IANA time zone")),
  eu: truth,
  states: listOf(
    objectOf<State>({
      code: text(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, "an ISO 3166-2 code"),
      name: someText,
      nativeName: anyText,
      type: anyText,
      parent: text(/^(?:[A-Z]{2}-[A-Z0-9]{1,3})?$/, "an ISO 3166-2 code or empty"),
    }),
  ),
});

const countryFile = objectOf({ countries: listOf(country) });

/**
 * Reads the content of `data/countries.json`, already parsed as JSON, into countries in the file's order. A
 * failure names the first thing that is wrong with it.
 */
export function parseCountries(json: unknown): Result<readonly Country[], Failure<"BROKEN_COUNTRY_DATA">> {
  return readCountryData(() => {
    const { countries } = countryFile(json, "file");
    checkCodes(countries);
    return countries;
  });
}

/** Codes must name one thing each, and a state must bear the code of its country. */
function checkCodes(countries: readonly Country[]): void {
  if (countries.length === 0) {
    throw new ShapeError("file.countries must not be empty");
  }
  const seen = new Set<string>();
  const claim = (code: string) => {
    if (seen.has(code)) {
      throw new ShapeError(`the code ${code} occurs twice`);
    }
    seen.add(code);
  };
  for (const { code2, code3, states } of countries) {
    claim(code2);
    claim(code3);
    for (const { code } of states) {
      claim(code);
      if (!code.startsWith(`${code2}-`)) {
        throw new ShapeError(`the state ${code} must not be in ${code2}`);
      }
    }
  }
}
