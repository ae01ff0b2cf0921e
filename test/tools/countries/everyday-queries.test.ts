import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchCountries } from "../../../src/tools/countries/search-countries.js";
import { createSearchIndex } from "../../../src/tools/countries/search-index.js";
import { loadCountries, loadNames } from "../../data/load-countries.js";

const index = createSearchIndex(loadCountries(), loadNames());
const first = (query: string) => searchCountries(index, query, 1)[0]?.term.country.code2 ?? "-";

/** Reads the rows of a file: the country that is meant, and the query. */
function readQueries(name: string) {
  return readFileSync(join(import.meta.dirname, name), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, code2 = "", query = ""] = /^([A-Z]{2}|-) (.+)$/.exec(line) ?? [];
      return query === "" ? [] : [{ code2, query }];
    });
}

test("at least 95 % of everyday queries find their country first", () => {
  const queries = readQueries("everyday-queries.txt");
  const missed = queries.filter(({ code2, query }) => first(query) !== code2);
  expect(queries.length).toBeGreaterThanOrEqual(300);
  const share = 1 - missed.length / queries.length;
  expect(share, missed.map(({ query }) => query).join(", ")).toBeGreaterThanOrEqual(0.95);
});

test("codes, old time zones and names of currencies find their country first", () => {
  const queries = readQueries("code-queries.txt");
  const missed = queries.filter(({ code2, query }) => first(query) !== code2);
  expect(queries.length).toBeGreaterThanOrEqual(500);
  expect(missed.map(({ code2, query }) => `${query}: ${first(query)}, not ${code2}`)).toEqual([]);
});
