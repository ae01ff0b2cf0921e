import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchCountries } from "../../../src/tools/countries/search-countries.js";
import { createSearchIndex } from "../../../src/tools/countries/search-index.js";
import { loadCountries, loadNames } from "../../data/load-countries.js";

/** The country that is meant, and the query. */
const QUERIES = readFileSync(join(import.meta.dirname, "everyday-queries.txt"), "utf8")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => [line.slice(0, 2), line.slice(3)] as const);

test("at least 95 % of everyday queries find their country first", () => {
  const index = createSearchIndex(loadCountries(), loadNames());
  const missed = QUERIES.filter(
    ([code2, query]) => searchCountries(index, query, 1)[0]?.term.country.code2 !== code2,
  );
  expect(QUERIES.length).toBeGreaterThanOrEqual(300);
  const share = 1 - missed.length / QUERIES.length;
  expect(share, missed.map(([, query]) => query).join(", ")).toBeGreaterThanOrEqual(0.95);
});
