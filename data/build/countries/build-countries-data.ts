import type { Country, Currency, Language } from "../../../src/tools/countries/country.js";
import { buildSearchData } from "./build-search.js";
import { buildStates } from "./build-states.js";
import { applyChange, checkAllUsed } from "./change.js";
import * as fix from "./corrections/country-corrections.js";
import * as languageFix from "./corrections/language-corrections.js";
import { buildFacts } from "./facts/build-facts.js";
import * as factTables from "./facts/fact-tables.js";
import { buildPhonePrefixes } from "./facts/phone-prefixes.js";
import { POSTAL_CODE_FORMATS } from "./facts/postal-codes.js";
import { OFFICIAL_NAMES } from "./official-names.js";
import { CONTINENTS, EU_TERRITORIES, REGIONS } from "./regions.js";
import { ALTERNATIVE_NAMES, FORMER_COUNTRIES, FORMER_NAMES } from "./search-names.js";
import type { ListedCountry, Sources } from "./sources.js";

/** ISO 3166-1 has no code for Kosovo; these user-assigned ones are in common use. */
const KOSOVO = { alpha2: "XK", alpha3: "XKX", numeric: "" };

/** Builds all countries, in English alphabetical order (Åland Islands under A). */
export function buildCountries(sources: Sources): readonly Country[] {
  const states = buildStates(sources);
  const timeZones = timeZonesByCountry(sources);
  const eu = new Set([...required(sources.containment.get("EU"), "EU of CLDR"), ...EU_TERRITORIES]);
  const withoutSearch = [...sources.isoCountries, KOSOVO].map(({ alpha2, alpha3, numeric }) => {
    const listed = required(sources.listed[alpha2], `${alpha2} of countries-list`);
    const name = applyChange(listed.name, fix.NAMES[alpha2], `the name of ${alpha2}`);
    const native = listed.native.replace(/[\u200e\u200f]/g, "").normalize("NFC");
    const country: Omit<Country, "search"> = {
      code2: alpha2,
      code3: alpha3,
      numeric,
      name,
      officialName: OFFICIAL_NAMES[alpha2] ?? name,
      nativeName: applyChange(native, fix.NATIVE_NAMES[alpha2], `the native name of ${alpha2}`),
      flag: String.fromCodePoint(...[...alpha2].map((letter) => 0x1f1a5 + letter.charCodeAt(0))),
      capital: applyChange(listed.capital, fix.CAPITALS[alpha2], `the capital of ${alpha2}`),
      ...regionOf(alpha2, sources),
      continent: continentOf(alpha2, listed),
      coordinates: coordinatesOf(alpha2, sources),
      currencies: currenciesOf(alpha2, listed, sources),
      languages: languagesOf(alpha2, sources),
      callingCodes: applyChange(listed.phone, fix.PHONES[alpha2], `the calling codes of ${alpha2}`).map(
        (code) => `+${code}`,
      ),
      topLevelDomain: applyChange(
        required(sources.database.get(alpha2), `${alpha2} of the database`).tld,
        fix.TOP_LEVEL_DOMAINS[alpha2],
        `the top-level domain of ${alpha2}`,
      ),
      timeZones: applyChange(
        timeZones.get(alpha2) ?? [],
        fix.TIME_ZONES[alpha2],
        `the time zones of ${alpha2}`,
      ),
      eu: eu.has(alpha2),
      ...buildFacts(alpha2, sources),
      states: states.get(alpha2) ?? [],
    };
    return country;
  });
  const phonePrefixes = buildPhonePrefixes(withoutSearch, sources);
  const countries = withoutSearch.map((country) => ({
    ...country,
    search: buildSearchData(country, phonePrefixes.get(country.code2) ?? [], sources),
  }));

  const codes = new Set(countries.map(({ code2 }) => code2));
  const tables = { ...fix.NAMES, ...fix.NATIVE_NAMES, ...fix.CAPITALS, ...fix.CONTINENT_CODES };
  const more = { ...fix.PHONES, ...fix.CURRENCIES, ...fix.TOP_LEVEL_DOMAINS, ...fix.COORDINATES };
  const others = { ...fix.TIME_ZONES, ...languageFix.OFFICIAL_LANGUAGES, ...OFFICIAL_NAMES };
  const facts = {
    ...factTables.AREAS,
    ...factTables.BORDERS,
    ...factTables.UN_MEMBERS,
    ...factTables.DEMONYMS,
  };
  const customs = [...factTables.DRIVING_ON_THE_LEFT, ...factTables.WITHOUT_ROADS];
  const postal = Object.values(POSTAL_CODE_FORMATS).flatMap((all) => all.split(" "));
  checkAllUsed("countries", [...Object.keys(facts), ...customs, ...postal], codes);
  const searched = { ...ALTERNATIVE_NAMES, ...FORMER_NAMES };
  checkAllUsed("countries", Object.keys({ ...tables, ...more, ...others, ...searched }), codes);
  checkAllUsed(
    "former countries",
    FORMER_COUNTRIES.flatMap(({ codes }) => codes),
    codes,
  );
  checkAllUsed("time zones", Object.keys(fix.ZONE_COUNTRIES), new Set(sources.zoneCountries.keys()));
  checkAllUsed("countries", states.keys(), codes);
  const tender = new Set(countries.flatMap(({ currencies }) => currencies.map(({ code }) => code)));
  checkAllUsed("currencies", Object.keys(fix.CURRENCY_SYMBOLS), tender);
  const spoken = new Set(countries.flatMap(({ languages }) => languages.map(({ code }) => code)));
  const { MORE_LANGUAGES, LANGUAGE_NAMES, LANGUAGE_NATIVE_NAMES } = languageFix;
  checkAllUsed(
    "languages",
    Object.keys({ ...MORE_LANGUAGES, ...LANGUAGE_NAMES, ...LANGUAGE_NATIVE_NAMES }),
    spoken,
  );

  const { compare } = new Intl.Collator("en");
  return countries.sort((a, b) => compare(a.name, b.name));
}

/** Only Antarctica is in no region. */
function regionOf(code: string, { containment }: Sources): { region: string; subregion: string } {
  for (const [region, subregions] of Object.entries(REGIONS)) {
    for (const [m49, subregion] of Object.entries(subregions)) {
      if (required(containment.get(m49), `${m49} of CLDR`).includes(code)) {
        return { region, subregion };
      }
    }
  }
  if (code !== "AQ") {
    throw new Error(`${code} is in no region of CLDR`);
  }
  return { region: "", subregion: "" };
}

function continentOf(code: string, listed: ListedCountry): string {
  const continent = applyChange(listed.continent, fix.CONTINENT_CODES[code], `the continent of ${code}`);
  return required(CONTINENTS[continent], `a name for the continent ${continent}`);
}

function coordinatesOf(code: string, { database }: Sources): { lat: number; lon: number } {
  const { latitude, longitude } = required(database.get(code), `${code} of the database`);
  const round = (degrees: string) => Math.round(Number(degrees) * 1e4) / 1e4;
  const point = { lat: round(latitude), lon: round(longitude) };
  return applyChange(point, fix.COORDINATES[code], `the coordinates of ${code}`);
}

/** The currencies of countries-list that are legal tender today according to CLDR: no fund codes, no former ones. */
function currenciesOf(code: string, listed: ListedCountry, sources: Sources): readonly Currency[] {
  return applyChange(listed.currency, fix.CURRENCIES[code], `the currencies of ${code}`)
    .filter((currency) => sources.tender.get(code)?.has(currency))
    .map((currency) => {
      const known = required(sources.currencies[currency], `the currency ${currency} of countries-list`);
      const symbolChange = fix.CURRENCY_SYMBOLS[currency];
      const symbol = applyChange(known.symbolNative, symbolChange, `the symbol of ${currency}`);
      return {
        code: currency,
        name: known.name,
        symbol: symbol === currency ? "" : symbol,
        minorUnits: known.decimals,
      };
    });
}

/** The official languages of CLDR, the most used first, with the names of countries-list. */
function languagesOf(code: string, sources: Sources): readonly Language[] {
  const { OFFICIAL_LANGUAGES, MORE_LANGUAGES, LANGUAGE_NAMES, LANGUAGE_NATIVE_NAMES } = languageFix;
  const official = sources.officialLanguages.get(code) ?? [];
  const codes = applyChange(official, OFFICIAL_LANGUAGES[code], `the languages of ${code}`);
  return codes.map((language) => {
    const known = MORE_LANGUAGES[language] ?? sources.languages[language];
    const { name, native } = required(known, `the language ${language} of countries-list`);
    const nativeChange = LANGUAGE_NATIVE_NAMES[language];
    return {
      code: language,
      name: applyChange(name, LANGUAGE_NAMES[language], `the name of the language ${language}`),
      nativeName: applyChange(native, nativeChange, `the native name of the language ${language}`),
    };
  });
}

/** The time zones of countries in alphabetical order, by alpha-2 code. Each time zone is in one country. */
function timeZonesByCountry({ zoneCountries }: Sources): ReadonlyMap<string, readonly string[]> {
  const zones = new Map<string, string[]>();
  for (const zone of [...zoneCountries.keys()].sort()) {
    const first = required(zoneCountries.get(zone)?.[0], `a country of ${zone}`);
    const country = applyChange(first, fix.ZONE_COUNTRIES[zone], `the country of ${zone}`);
    zones.set(country, [...(zones.get(country) ?? []), zone]);
  }
  return zones;
}

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) {
    throw new Error(`the sources lack ${what}`);
  }
  return value;
}
