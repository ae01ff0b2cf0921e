import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import type { Tool, ToolModule } from "../tool.js";
import { countriesService } from "./countries-service.js";
import type { Country } from "./country.js";
import { parseNames } from "./country-names.js";
import { parseCountries, parseSources } from "./parse-countries.js";
import { createSearchIndexInSlices, type SearchIndex } from "./search-index.js";

/** The time after loading when the index of the search is created, in milliseconds, unless a search comes before. */
const INDEX_DELAY = 2_000;

/** The paths of the country data. */
export interface CountriesPaths {
  /** The countries. */
  readonly countries: string;
  /** The names of the countries in many languages. */
  readonly names: string;
  /** The sources of the countries. */
  readonly sources: string;
}

/** Why the country data cannot be used; the description names the file. */
type CountriesFailure = Failure<"COUNTRY_DATA_UNREADABLE" | "BROKEN_COUNTRY_DATA">;

/** Returns the paths of the installed country data. */
export function defaultCountriesPaths(): CountriesPaths {
  const data = join(PACKAGE_FOLDER, "data");
  return {
    countries: join(data, "countries.json"),
    names: join(data, "country-names.json"),
    sources: join(data, "SOURCES.json"),
  };
}

/**
 * Loads the country data and creates the countries tool. The data is a part of the program: it is read once, and the tool
 * cannot be created without it. The index of the search is created in the background, after the start.
 */
export async function loadCountriesService(paths: CountriesPaths): Promise<Result<Tool, CountriesFailure>> {
  const [countries, names, sources] = await Promise.all([
    loadCountries(paths.countries),
    parseFile(paths.names, parseNames),
    parseFile(paths.sources, parseSources),
  ]);
  if (!countries.ok) {
    return countries;
  }
  if (!names.ok) {
    return names;
  }
  if (!sources.ok) {
    return sources;
  }
  let index: Promise<SearchIndex> | undefined;
  const searchIndex = () => {
    index ??= createSearchIndexInSlices(countries.value, names.value);
    return index;
  };
  const timer = setTimeout(searchIndex, INDEX_DELAY).unref();
  return ok(
    countriesService({
      countries: countries.value,
      names: names.value,
      searchIndex,
      sources: () => sources.value,
      close: () => clearTimeout(timer),
    }),
  );
}

export const load: ToolModule["load"] = () => loadCountriesService(defaultCountriesPaths());

/** Loads the countries from their file. */
export function loadCountries(
  path: string = defaultCountriesPaths().countries,
): Promise<Result<readonly Country[], CountriesFailure>> {
  return parseFile(path, parseCountries);
}

async function parseFile<T>(
  path: string,
  parse: (json: unknown) => Result<T, CountriesFailure>,
): Promise<Result<T, CountriesFailure>> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return fail("COUNTRY_DATA_UNREADABLE", `the country data ${path} cannot be read: ${problem}`);
  }
  const parsed = parse(json);
  return parsed.ok
    ? parsed
    : fail(parsed.failure.reason, `the country data ${path}: ${parsed.failure.description}`);
}
