import { describe, expect, test } from "vitest";
import { filterStates } from "../../../../src/workbench/panels/countries/filter-states.js";
import { loadCountries } from "../../../data/load-countries.js";

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
