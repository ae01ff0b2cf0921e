import { describe, expect, test } from "vitest";
import {
  createSearchIndex,
  createSearchIndexInSlices,
  findCurrencies,
} from "../../../../src/tools/countries/search/search-index.js";
import { TERM_KINDS } from "../../../../src/tools/countries/search/search-terms.js";
import { codeKey, searchText } from "../../../../src/tools/countries/search/search-text.js";
import { loadCountries, loadNames } from "../../../data/load-countries.js";

const [countries, countryNames] = [loadCountries(), loadNames()];
const index = createSearchIndex(countries, countryNames);
const { codes, currencySymbols, currencyNames, names, words, similar } = index;

describe("createSearchIndex", () => {
  test("has terms of every kind", () => {
    const currencies = [...currencyNames.keys()].flatMap((name) => findCurrencies(index, name));
    const kinds = new Set(
      [codes.values(), names.lists.values()]
        .flatMap((lists) => [...lists].flat())
        .concat(currencies)
        .map(({ kind }) => kind),
    );
    expect([...kinds].sort()).toEqual([...TERM_KINDS].sort());
  });

  test("has no empty keys", () => {
    for (const map of [codes, currencySymbols, currencyNames, names.lists, words.lists]) {
      expect(map.has("")).toBe(false);
    }
  });

  test("has a name under each word, once", () => {
    for (const word of ["papua", "new", "guinea"]) {
      const found = words.lists.get(word)?.filter(({ value }) => value === "Papua New Guinea") ?? [];
      expect([word, found.map(({ kind }) => kind)]).toEqual([word, ["name"]]);
    }
  });

  test("has the keys in order", () => {
    for (const { lists, keys } of [names, words]) {
      expect(keys).toEqual([...lists.keys()].sort());
    }
  });

  test("has equal names of a country once", () => {
    const repeated = [...names.lists].filter(([, terms]) => {
      const own = terms.filter(({ state }) => state === undefined).map(({ country }) => country.code2);
      return new Set(own).size < own.length;
    });
    expect(repeated.map(([key]) => key)).toEqual([]);
  });

  test("has the language of names", () => {
    const languagesOf = (key: string) => names.lists.get(key)?.map(({ kind, language }) => [kind, language]);
    expect(languagesOf("germany")).toEqual([["name", "en"]]);
    expect(languagesOf("deutschland")).toEqual([["localName", "de"]]);
    expect(languagesOf("alemania")?.[0]).toEqual(["translatedName", "es"]);
    expect(languagesOf("ddr")).toEqual([["formerName", "de"]]);
  });

  test("gives local names a language that is official in the country, or none", () => {
    const local = [...names.lists.values()].flat().filter(({ kind }) => kind === "localName");
    const foreign = local.filter(({ country, language }) => {
      const [base = ""] = language.split("-");
      return ![...country.languages.map(({ code }) => code), ""].includes(base);
    });
    expect(local.length).toBeGreaterThan(190);
    expect(foreign.map(({ value, language }) => [value, language])).toEqual([]);
  });

  test.each([
    ["ísland", "IS", "is"],
    ["日本", "JP", "ja"],
    ["brasil", "BR", "pt"],
    ["danmark", "DK", "da"],
    ["косово", "XK", "sr"],
    ["srbija", "RS", "sr-Latn"],
    // In no language of the names; the country has three official ones.
    ["papuaniugini", "PG", ""],
  ])("gives the local name %s of %s the language %j", (key, code2, language) => {
    const terms = names.lists.get(searchText(key).compact) ?? [];
    const own = terms.filter(({ country, kind }) => country.code2 === code2 && kind === "localName");
    expect(own.map((term) => term.language)).toEqual([language]);
  });

  test("orders similar names by length", () => {
    const lengths = similar[0].names.map(({ length }) => length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(similar[0].names).toContain("germany");
    expect(similar[1].names).toContain("burma");
    expect(similar.flatMap((each) => each.names)).not.toContain("bavaria");
  });
});

test("createSearchIndexInSlices returns the same, and lets others run", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  const index = await createSearchIndexInSlices(countries, countryNames, () => 1);
  isDone = true;
  expect(turns).toBeGreaterThan(2);
  expect(index.names.keys).toEqual(names.keys);
  expect(index.words.keys).toEqual(words.keys);
});

test.each([
  ["DE-BY", "de-by"],
  ["America/New_York", "america/newyork"],
  [" +1 (684) ", "+1684"],
  ["＋４４", "+44"],
])("the key of the code %j is %j", (code, key) => {
  expect(codeKey(code)).toBe(key);
});
