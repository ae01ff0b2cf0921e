import { describe, expect, test } from "vitest";
import nativeNames from "../../../../data/native-names.json" with { type: "json" };
import {
  createSearchIndex,
  filterStates,
  searchCountries,
} from "../../../../src/workbench/panels/countries/search.js";
import { loadCountries } from "../../../data/load-countries.js";

const countries = loadCountries();
const index = createSearchIndex(countries, nativeNames);
const found = (text: string) => searchCountries(index, text).map(({ code2 }) => code2);

describe("searchCountries", () => {
  test("returns all countries in order for an empty text", () => {
    expect(found("")).toEqual(countries.map(({ code2 }) => code2));
    expect(found(" - ")).toHaveLength(countries.length);
  });

  test.each([
    ["a code of two letters, before names that start with it", "at", ["AT"]],
    ["a code of three letters", "deu", ["DE"]],
    ["an English name without diacritics", "cote d'ivoire", ["CI"]],
    ["the name in another language", "deutschland", ["DE"]],
    ["a name in another script", "日本", ["JP"]],
    ["a name in another script without diacritics", "ελλαδα", ["GR"]],
    ["the capital", "ouagadougou", ["BF"]],
    ["prefixes of words in any order", "guin bis", ["GW"]],
    ["words of the name and of the capital", "paris fr", ["FR"]],
  ])("finds by %s", (_, text, expected) => {
    expect(found(text).slice(0, expected.length)).toEqual(expected);
  });

  test("ranks English names that start with the text first, then other names, then words", () => {
    // Equatorial Guinea is Guinea Ecuatorial in Spanish; Papua New Guinea contains the word.
    expect(found("guinea")).toEqual(["GN", "GW", "GQ", "PG"]);
  });

  test("finds nothing within words", () => {
    expect(found("rance")).toEqual([]);
  });

  test.each(countries.map(({ name, code2 }) => [name, code2]))("finds %s by its name", (name, code2) => {
    expect(found(name)).toContain(code2);
  });
});

const states = loadCountries().find(({ code2 }) => code2 === "FR")?.states ?? [];
const foundStates = (text: string) => filterStates(states, text).map(({ code }) => code);

describe("filterStates", () => {
  test("returns all states in order for an empty text", () => {
    expect(foundStates("  ")).toEqual(states.map(({ code }) => code));
    expect(states.length).toBeGreaterThan(100);
  });

  test.each([
    ["a code", "fr-78", ["FR-78"]],
    ["a name without diacritics", "cotes d armor", ["FR-22"]],
    ["the code of its parent and a word of its name", "idf seine", ["FR-77", "FR-92", "FR-93"]],
    ["a word of no state", "xyz", []],
  ])("finds by %s", (_, text, codes) => {
    expect(foundStates(text)).toEqual(expect.arrayContaining(codes));
    expect(foundStates(text).length).toBe(codes.length);
  });
});
