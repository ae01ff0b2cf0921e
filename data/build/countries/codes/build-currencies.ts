import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "../../../../src/tools/countries/country.js";
import type { CountryNames, CurrencyName } from "../../../../src/tools/countries/country-names.js";
import { searchText } from "../../../../src/tools/countries/search/search-text.js";
import type { Sources } from "../sources.js";
import { formerCurrencies } from "./build-codes.js";

/** The languages of the names of all currencies: those with most speakers that have such names in CLDR. */
const LANGUAGES = "en zh zh-Hant hi es ar fr bn pt ru ur id de ja te mr vi ta tr ko it".split(" ");

/**
 * Returns the names of currencies by ISO 4217 code: for those in use in {@link LANGUAGES} and in the official languages of their
 * countries, where those have two forms, for former ones in English and in those. A name that differs from another one only in case or accents is there once.
 */
export function buildCurrencies(countries: readonly Country[], sources: Sources): CountryNames["currencies"] {
  const { codes } = sources;
  const everyday = readEverydayNames();
  const namesOf = (
    code: string,
    english: readonly string[],
    languages: readonly string[],
    users: readonly string[],
  ) => {
    const known = new Set(english.map((name) => searchText(name).compact));
    const official = countries
      .filter(({ code2 }) => users.includes(code2))
      .flatMap((country) => country.languages.map((language) => language.code));
    const inLanguage = (language: string) => {
      const names = codes.currencyNames.get(language)?.get(code) ?? [];
      return names.slice(0, official.includes(language) ? 2 : 1).map((name) => ({ name, language }));
    };
    const all: CurrencyName[] = [
      { name: codes.isoCurrencyName(code) ?? "", language: "en" },
      ...[...new Set([...languages, ...official])].flatMap(inLanguage),
      ...(everyday.get(code) ?? []),
    ];
    return all.filter(({ name }) => {
      const { compact } = searchText(name);
      const isNew = compact !== "" && !known.has(compact);
      known.add(compact);
      return isNew;
    });
  };
  const users = new Map<string, string[]>();
  const english = new Map<string, string>();
  for (const { code2, currencies } of countries) {
    for (const { code, name } of currencies) {
      users.set(code, [...(users.get(code) ?? []), code2]);
      english.set(code, name);
    }
  }
  for (const code of everyday.keys()) {
    if (!users.has(code)) {
      throw new Error(`currency-names.tsv: ${code} is legal tender nowhere`);
    }
  }
  return new Map([
    ...[...users].map(
      ([code, own]) => [code, namesOf(code, [english.get(code) ?? ""], LANGUAGES, own)] as const,
    ),
    ...[...formerCurrencies(countries, sources)].map(
      ([code, own]) => [code, namesOf(code, [], ["en"], own)] as const,
    ),
  ]);
}

/** Reads the names of currency-names.tsv, which no source has, by ISO 4217 code. */
function readEverydayNames(): ReadonlyMap<string, readonly CurrencyName[]> {
  const [, ...lines] = readFileSync(join(import.meta.dirname, "currency-names.tsv"), "utf8")
    .trimEnd()
    .split("\n");
  const names = new Map<string, CurrencyName[]>();
  for (const line of lines) {
    const [code = "", name = "", language = ""] = line.split("\t");
    names.set(code, [...(names.get(code) ?? []), { name, language: language === "-" ? "" : language }]);
  }
  return names;
}
