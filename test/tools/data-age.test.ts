import { expect, test } from "vitest";
import { ageWarnings, oldSources, updatedSources } from "../../src/tools/data-age.js";
import type { DataSource } from "../../src/tools/tool.js";

const BUILT = new Date("2026-01-01T00:00:00Z");
const DAY = 86_400_000;

const source = (name: string, more: Partial<DataSource>): DataSource => ({
  name,
  publisher: "",
  url: "",
  license: "",
  attribution: "",
  version: "",
  builtAt: BUILT,
  ...more,
});
const SOURCES = [
  source("a file", {}),
  source("a newer file", { builtAt: new Date(BUILT.getTime() + DAY) }),
  source("a part of the program", { isFixed: true }),
  source("without a date", { builtAt: undefined }),
];
const names = (sources: readonly DataSource[]) => sources.map(({ name }) => name);

test("sources that update-data replaces have a date and are not fixed", () => {
  expect(names(updatedSources(SOURCES))).toEqual(["a file", "a newer file"]);
});

test.each([
  [60, []],
  [61, ["a file"]],
  [62, ["a file", "a newer file"]],
])("on day %s, these are old: %j", (days, old) => {
  expect(names(oldSources(SOURCES, BUILT.getTime() + days * DAY))).toEqual(old);
});

test("warnings of old sources say what replaces them", () => {
  const sources = [...SOURCES, source("an own file", { chosenBy: "GEOIP_CITY_FILES" })];
  expect(ageWarnings(sources, BUILT.getTime() + 61 * DAY)).toEqual([
    "a file is more than 60 days old: run update-data",
    "an own file is more than 60 days old: replace the file in GEOIP_CITY_FILES",
  ]);
});
