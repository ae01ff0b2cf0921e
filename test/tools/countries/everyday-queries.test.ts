import { expect, test } from "vitest";
import { searchCountries } from "../../../src/tools/countries/search-countries.js";
import { createSearchIndex } from "../../../src/tools/countries/search-index.js";
import { loadCountries, loadNames } from "../../data/load-countries.js";
import { EVERYDAY_QUERIES } from "./everyday-queries.js";

test("at least 95 % of everyday queries find their country first", () => {
  const index = createSearchIndex(loadCountries(), loadNames());
  const missed = EVERYDAY_QUERIES.filter(
    ({ query, code2 }) => searchCountries(index, query, 1)[0]?.term.country.code2 !== code2,
  );
  expect(EVERYDAY_QUERIES.length).toBeGreaterThanOrEqual(300);
  const share = 1 - missed.length / EVERYDAY_QUERIES.length;
  expect(share, missed.map(({ query }) => query).join(", ")).toBeGreaterThanOrEqual(0.95);
});
