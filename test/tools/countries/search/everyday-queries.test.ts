import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { searchCountries } from "../../../../src/tools/countries/search/search-countries.js";
import { createSearchIndex } from "../../../../src/tools/countries/search/search-index.js";
import { loadCountries, loadNames } from "../../../data/load-countries.js";

const countries = loadCountries();
const index = createSearchIndex(countries, loadNames());
const first = (query: string) => searchCountries(index, query, 1).matches[0];
const firstCode = (query: string) => first(query)?.term.country.code2;

/** Reads the countries that are meant, and the queries, of which a line can have several; `--` stands for no country. */
function readQueries(file: string) {
  return readFileSync(join(import.meta.dirname, file), "utf8")
    .split("\n")
    .filter((line) => /^(?:[A-Z]{2}|--) /.test(line))
    .flatMap((line) =>
      line
        .slice(3)
        .split(" | ")
        .map((query) => [line.slice(0, 2), query] as const),
    );
}

test("at least 95 % of everyday queries find their country first", () => {
  const queries = readQueries("everyday-queries.txt");
  const missed = queries.filter(([code2, query]) => firstCode(query) !== code2);
  expect(queries.length).toBeGreaterThanOrEqual(300);
  const share = 1 - missed.length / queries.length;
  expect(share, missed.map(([, query]) => query).join(", ")).toBeGreaterThanOrEqual(0.95);
});

test("codes, old time zones and names of currencies find their country first", () => {
  const queries = readQueries("code-queries.txt");
  const missed = queries.filter(([code2, query]) => (firstCode(query) ?? "--") !== code2);
  expect(queries.length).toBeGreaterThanOrEqual(500);
  expect(missed.map(([code2, query]) => `${query}: ${firstCode(query)}, not ${code2}`)).toEqual([]);
});

test("queries of lists and issues find their country first, and others none with confidence", () => {
  const queries = readQueries("sourced-queries.txt");
  const missed = queries.flatMap(([code2, query]) => {
    const found = first(query);
    // What only starts with a query is no answer to it.
    const answer =
      found === undefined || found.match === "start" || found.match === "words" ? "--" : firstCode(query);
    const isRight = code2 === "--" ? answer === "--" : firstCode(query) === code2;
    return isRight ? [] : [`${code2} ${query}: ${answer}`];
  });
  expect(queries.length).toBeGreaterThanOrEqual(150);
  expect(missed).toEqual([]);
});

describe.each([
  "Republic of #",
  "# Republic",
  "State of #",
  "Kingdom of #",
  "# Islands",
  "# Rep.",
  "République de #",
  "Königreich #",
  "Reino de #",
])("%s", (pattern) => {
  /** What is right, but another country: Taiwan's name, and states of the United States and Nigeria. */
  const others: Readonly<Record<string, string>> = {
    ...{ "Republic of China": "TW", "China Republic": "TW", "China Rep.": "TW" },
    ...{ "State of Georgia": "US", "State of Niger": "NG" },
  };

  test("finds the country of each name", () => {
    const wrong = countries.flatMap(({ code2, name }) => {
      const query = pattern.replace("#", name);
      const found = firstCode(query);
      return found === (others[query] ?? code2) ? [] : [`${query}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });
});
