import { describe, expect, test } from "vitest";
import { searchText } from "../../../src/tools/countries/search-text.js";

describe("searchText", () => {
  test.each([
    ["Germany", ["germany"], "germany"],
    ["the Republic of Korea", ["the", "republic", "of", "korea"], "republickorea"],
    ["Trinidad & Tobago", ["trinidad", "and", "tobago"], "trinidadtobago"],
    ["St. Lucia", ["saint", "lucia"], "saintlucia"],
    ["st", ["saint"], "saint"],
    ["Côte d’Ivoire", ["cote", "d", "ivoire"], "cotedivoire"],
    ["U.S.A.", ["u", "s", "a"], "usa"],
    ["Bora-Bora", ["bora"], "borabora"],
    ["日本", ["日本"], "日本"],
    ["of the", ["of", "the"], "ofthe"],
    ["the", ["the"], "the"],
    ["???", [], ""],
    ["", [], ""],
  ])("prepares %j", (text, words, compact) => {
    expect(searchText(text)).toEqual({ words, compact });
  });
});
