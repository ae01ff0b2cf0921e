import { expect, test } from "vitest";
import { groupStates, numberOf } from "../../../../src/workbench/panels/countries/group-states.js";
import { loadCountries } from "../../../data/load-countries.js";

const titlesOf = (code: string) => {
  const { states = [] } = loadCountries().find(({ code2 }) => code2 === code) ?? {};
  const groups = groupStates(states);
  expect(groups.flatMap((group) => group.states).toSorted((a, b) => (a.code < b.code ? -1 : 1))).toEqual([
    ...states,
  ]);
  return groups.map(({ title }) => title);
};

test.each([
  ["CH", ["26 cantons"]],
  ["VA", []],
  [
    "FR",
    [
      "13 metropolitan regions",
      "5 overseas regions",
      "5 overseas collectivities",
      "1 dependency",
      "1 overseas collectivity with special status",
      "1 overseas territory",
      "95 metropolitan departments",
      "2 metropolitan collectivities with special status",
      "1 european collectivity",
    ],
  ],
])("the subdivisions of %s are grouped by type, its own before those of another", (code, titles) => {
  expect(titlesOf(code)).toEqual(titles);
});

test.each([
  [1, "parish", "1 parish"],
  [2, "parish", "2 parishes"],
  [2, "borough", "2 boroughs"],
  [2, "quarter", "2 quarters"],
  [2, "districts under republic administration", "2 districts under republic administration"],
  [3, "", "3 subdivisions"],
])("%i of the type %j are %j", (count, type, text) => {
  expect(numberOf(count, type)).toBe(text);
});
