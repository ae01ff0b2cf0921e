import { describe, expect, test } from "vitest";
import nativeNames from "../../../../data/native-names.json" with { type: "json" };
import {
  indexCountries,
  searchCountries,
} from "../../../../src/workbench/panels/countries/search-countries.js";
import { loadCountries } from "../../../data/load-countries.js";

const countries = loadCountries();
const index = indexCountries(countries, nativeNames);
const found = (text: string) => searchCountries(index, text).map(({ code2 }) => code2);

describe("searchCountries", () => {
  test("finds all for an empty text, in their order", () => {
    expect(found("")).toEqual(countries.map(({ code2 }) => code2));
    expect(found(" - ")).toHaveLength(countries.length);
  });

  test.each([
    ["a code of two letters, before names that begin with it", "at", ["AT"]],
    ["a code of three letters", "deu", ["DE"]],
    ["an English name without its marks", "cote d'ivoire", ["CI"]],
    ["the name in another language", "deutschland", ["DE"]],
    ["a name in another script", "日本", ["JP"]],
    ["a name in another script without its marks", "ελλαδα", ["GR"]],
    ["the capital", "ouagadougou", ["BF"]],
    ["the beginnings of words in any order", "guin bis", ["GW"]],
    ["words of the name and of the capital", "paris fr", ["FR"]],
  ])("finds by %s", (_, text, expected) => {
    expect(found(text).slice(0, expected.length)).toEqual(expected);
  });

  test("puts English names that begin with the text before others, and those before words that do", () => {
    // Equatorial Guinea is Guinea Ecuatorial in Spanish; Papua New Guinea has the word in the middle.
    expect(found("guinea")).toEqual(["GN", "GW", "GQ", "PG"]);
  });

  test("finds nothing in the middle of words", () => {
    expect(found("rance")).toEqual([]);
  });

  test.each(countries.map(({ name, code2 }) => [name, code2]))("finds %s by its name", (name, code2) => {
    expect(found(name)).toContain(code2);
  });
});
