import { describe, expect, test } from "vitest";
import { searchText, withoutArticle } from "../../../../src/tools/countries/search/search-text.js";

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
    ["Trinidad y Tobago", ["trinidad", "y", "tobago"], "trinidadtobago"],
    ["Y-ê-men", ["y", "e", "men"], "yemen"],
    ["الإمارات", ["الامارات"], "الامارات"],
    ["איראן", ["איראן"], "איראן"],
    ["ドイツ", ["どいつ"], "どいつ"],
    ["한국", ["한국"], "한국"],
    ["भारत", ["भारत"], "भारत"],
    ["ประเทศไทย", ["ไทย"], "ไทย"],
    ["Йемен", ["иемен"], "иемен"],
    ["ΚΎΠΡΟΣ", ["κυπροσ"], "κυπροσ"],
    ["İsveç", ["isvec"], "isvec"],
    ["???", [], ""],
    ["", [], ""],
  ])("prepares %j", (text, words, compact) => {
    expect(searchText(text)).toEqual({ words, compact });
  });
});

test.each([
  ["die Niederlande", "niederlande"],
  ["L’Allemagne", "allemagne"],
  ["Los Estados Unidos", "estadosunidos"],
  ["Laos", undefined],
  ["la", undefined],
])("%j without an article is %j", (text, compact) => {
  expect(withoutArticle(searchText(text))?.compact).toBe(compact);
});
