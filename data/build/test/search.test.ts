import { createRequire } from "node:module";
import i18n from "i18n-iso-countries";
import { describe, expect, it } from "vitest";
import { searchCountries } from "../../../src/tools/countries/search/search-countries.js";
import { createSearchIndex } from "../../../src/tools/countries/search/search-index.js";
import { loadCountries, loadNames } from "../../../test/data/load-countries.js";

const require = createRequire(import.meta.url);
const index = createSearchIndex(loadCountries(), loadNames());
const best = (query: string) => searchCountries(index, query, 1).matches[0]?.term.country.code2;

/** Names of an independent package, which are no source of the search, with their countries. */
const NAMES = i18n.getSupportedLanguages().flatMap((language) => {
  i18n.registerLocale(require(`i18n-iso-countries/langs/${language}.json`));
  return Object.entries(i18n.getNames(language, { select: "all" })).flatMap(([code, names]) =>
    names.filter((name) => [...name].length <= 100).map((name) => ({ language, code, name: name.trim() })),
  );
});

describe("names of an independent package in 78 languages", () => {
  it("find their country first", () => {
    const found = NAMES.filter(({ code, name }) => best(name) === code);
    expect(NAMES.length).toBeGreaterThan(19_000);
    expect(found.length / NAMES.length).toBeGreaterThan(0.93);
  });

  it("rarely find another one first", () => {
    const wrong = NAMES.filter(({ code, name }) => ![code, undefined].includes(best(name)));
    expect(wrong.length / NAMES.length).toBeLessThan(0.006);
  });

  it.each([
    ...["de", "es", "fr", "it", "pl", "pt", "ru", "tr", "zh"].map((language) => [language, 0.95] as const),
    ["ja", 0.93] as const,
    ["ko", 0.87] as const,
  ])("in %s find it in a share of at least %d", (language, share) => {
    const own = NAMES.filter((each) => each.language === language);
    const found = own.filter(({ code, name }) => best(name) === code);
    expect(own.length).toBeGreaterThan(240);
    expect(found.length / own.length).toBeGreaterThan(share);
  });
});
