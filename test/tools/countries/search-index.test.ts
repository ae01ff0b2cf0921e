import { describe, expect, test } from "vitest";
import {
  codeKey,
  createSearchIndex,
  nameKey,
  TERM_KINDS,
} from "../../../src/tools/countries/search-index.js";
import { loadCountries } from "../../data/load-countries.js";

const { codes, names } = createSearchIndex(loadCountries());

describe("createSearchIndex", () => {
  test("has terms of every kind", () => {
    const kinds = new Set([...codes.values(), ...names.values()].flat().map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([...TERM_KINDS].sort());
  });

  test("has no empty keys", () => {
    expect(codes.has("")).toBe(false);
    expect(names.has("")).toBe(false);
  });

  test("has a name under the beginnings of each word, once", () => {
    for (const key of ["p", "pa", "n", "ne", "g", "gu"]) {
      const found = names.get(key)?.filter(({ value }) => value === "Papua New Guinea") ?? [];
      expect([key, found.map(({ kind }) => kind)]).toEqual([key, ["name"]]);
    }
    for (const [key, terms] of names) {
      expect(new Set(terms).size, key).toBe(terms.length);
    }
  });
});

test.each([
  ["DE-BY", "de-by"],
  ["America/New_York", "america/newyork"],
  [" +1 (684) ", "+1684"],
])("the key of the code %j is %j", (code, key) => {
  expect(codeKey(code)).toBe(key);
});

test.each([
  ["guinea", "gu"],
  ["d", "d"],
  ["", ""],
])("the key of the word %j is %j", (word, key) => {
  expect(nameKey(word)).toBe(key);
});
