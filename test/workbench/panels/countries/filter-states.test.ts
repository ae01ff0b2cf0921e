import { describe, expect, test } from "vitest";
import { filterStates } from "../../../../src/workbench/panels/countries/filter-states.js";
import { loadCountries } from "../../../data/load-countries.js";

const states = loadCountries().find(({ code2 }) => code2 === "FR")?.states ?? [];
const found = (text: string) => filterStates(states, text).map(({ code }) => code);

describe("filterStates", () => {
  test("keeps all for an empty text, in their order", () => {
    expect(found("  ")).toEqual(states.map(({ code }) => code));
    expect(states.length).toBeGreaterThan(100);
  });

  test.each([
    ["a code", "fr-78", ["FR-78"]],
    ["a name without its marks", "cotes d armor", ["FR-22"]],
    ["a code of which it is a part, and a word of its name", "idf seine", ["FR-77", "FR-92", "FR-93"]],
    ["no word of any", "xyz", []],
  ])("finds by %s", (_, text, codes) => {
    expect(found(text)).toEqual(expect.arrayContaining(codes));
    expect(found(text).length).toBe(codes.length);
  });
});
