import { expect, test } from "vitest";
import { readAmounts, shadesOf } from "../../../../src/workbench/panels/countries/shades.js";

const COUNTRIES = [
  { code2: "US", code3: "USA", name: "United States" },
  { code2: "CI", code3: "CIV", name: "Côte d'Ivoire" },
  { code2: "DE", code3: "DEU", name: "Germany", localizedName: "Deutschland" },
];

test.each<[string, Record<string, number>, Record<number, string>]>([
  ["US,120\nGermany;80", { US: 120, DE: 80 }, {}],
  ["usa\t1.5\r\n\r\nUS\nDeutschland", { US: 2.5, DE: 1 }, {}],
  ['country,visits\n"cote d\'ivoire","7"', { CI: 7 }, {}],
  ["country,visits\nUS,1\nAtlantis,2", { US: 1 }, { 3: "Atlantis,2" }],
  ["Atlantis", {}, { 1: "Atlantis" }],
  ["US,-1\nUS,1,2\nUS,x", {}, { 2: "US,1,2", 3: "US,x" }],
  ["", {}, {}],
])("%j is read", (text, amounts, problems) => {
  const read = readAmounts(text, COUNTRIES);
  expect(read.amounts.map(({ code, amount }) => [code, amount])).toEqual(Object.entries(amounts));
  expect(Object.fromEntries(read.problems.map(({ line, text }) => [line, text]))).toEqual(problems);
});

test("shades have about as many different numbers each", () => {
  const amounts = [9, 8, 7, 6, 5, 4, 3, 2, 1, 1].map((amount, index) => ({ code: `C${index}`, amount }));
  expect(shadesOf(amounts)).toEqual([
    { least: 1, most: 2, codes: ["C7", "C8", "C9"] },
    { least: 3, most: 4, codes: ["C5", "C6"] },
    { least: 5, most: 5, codes: ["C4"] },
    { least: 6, most: 7, codes: ["C2", "C3"] },
    { least: 8, most: 9, codes: ["C0", "C1"] },
  ]);
  expect(shadesOf([{ code: "US", amount: 3 }])).toEqual([{ least: 3, most: 3, codes: ["US"] }]);
  expect(shadesOf([])).toEqual([]);
});
