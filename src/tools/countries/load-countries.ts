import { access, constants, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Code } from "@connectrpc/connect";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { createError } from "connect-transcoding";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { once } from "../../once.js";
import type { DataSource, PlannedCalls, Tool, ToolModule } from "../tool.js";
import { countriesService } from "./countries-service.js";
import type { Country } from "./country.js";
import { type CountryNames, parseNames } from "./country-names.js";
import { parseCountries, parseSources } from "./parse-countries.js";
import { createSearchIndexInSlices } from "./search/search-index.js";

/** The time after the start when the names and the index of the search are loaded, in milliseconds, unless a request needs them before. */
const BACKGROUND_DELAY = 2_000;
/** The pauses while the index is built in the background, in milliseconds: a replica that has just started has requests to answer. */
const BACKGROUND_PAUSE = 20;
/** The pauses while a search waits for the index, in milliseconds. */
const SHORT_PAUSE = 1;

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
 * cannot be created without it. The names in other languages and the index of the search are loaded in the background, after the start.
 */
export async function loadCountriesService(
  paths: CountriesPaths,
  load: () => Promise<Result<readonly Country[], Failure>> = () => loadCountries(paths.countries),
): Promise<Result<Tool, Failure>> {
  const [countries, sources, hasNames] = await Promise.all([
    load(),
    loadSources(paths.sources),
    checkReadable(paths.names),
  ]);
  if (!countries.ok) {
    return countries;
  }
  if (!sources.ok) {
    return sources;
  }
  if (!hasNames.ok) {
    return hasNames;
  }
  const names = once(() => loadNames(paths.names));
  let isAwaited = false;
  const pause = () => (isAwaited ? SHORT_PAUSE : BACKGROUND_PAUSE);
  const searchIndex = once(async () => createSearchIndexInSlices(countries.value, await names(), pause));
  // A failure is that of each search.
  const timer = setTimeout(() => searchIndex().catch(() => undefined), BACKGROUND_DELAY).unref();
  return ok(
    countriesService({
      countries: countries.value,
      names,
      searchIndex: () => {
        isAwaited = true;
        return searchIndex();
      },
      sources: () => sources.value,
      close: () => clearTimeout(timer),
    }),
  );
}

/** Loads the sources of the countries. */
export function loadSources(
  path: string = defaultCountriesPaths().sources,
): Promise<Result<readonly DataSource[], CountriesFailure>> {
  return parseFile(path, parseSources);
}

/** Loads the names. Throws `UNAVAILABLE` with the name of the file if it is broken. Clients do not see its folder. */
async function loadNames(path: string): Promise<CountryNames> {
  const names = await parseFile(path, parseNames);
  if (!names.ok) {
    const message = names.failure.description.replaceAll(path, basename(path));
    throw createError({ code: Code.Unavailable, reason: "DATA_UNAVAILABLE", message });
  }
  return names.value;
}

/** Returns what is wrong with the files, also with those that a service reads after its start. */
export async function countryDataProblems(paths = defaultCountriesPaths()): Promise<readonly string[]> {
  const results = await Promise.all([
    loadCountries(paths.countries),
    parseFile(paths.names, parseNames),
    loadSources(paths.sources),
  ]);
  return results.flatMap((result) => (result.ok ? [] : [result.failure.description]));
}

export const load: ToolModule["load"] = ({ countries, calls }) =>
  loadCountriesService(defaultCountriesPaths(), async () => {
    const one = calls && (await loadOneCountry(calls));
    return one?.ok ? one : countries();
  });

/** Loads the country of the only call. Undefined if the call needs more, or its country is not found by a code of two letters. */
async function loadOneCountry({ methods, request }: PlannedCalls) {
  const { country, language } = request;
  const isDetail = methods.every((method) => method === CountriesService.method.getCountry);
  if (!isDetail || language !== undefined || typeof country !== "string" || !/^[a-z]{2}$/i.test(country)) {
    return undefined;
  }
  return loadCountries(undefined, country.toUpperCase());
}

/**
 * Loads the countries from their file.
 *
 * @param code the code of the only country to load; undefined: all
 */
export function loadCountries(
  path: string = defaultCountriesPaths().countries,
  code?: string,
): Promise<Result<readonly Country[], CountriesFailure>> {
  return parseFile(path, parseCountries, (text) => (code === undefined ? text : oneCountry(text, code)));
}

/** The part of the file with one country: each begins a line. The list is empty if no country has the code. */
function oneCountry(text: string, code: string): string {
  const start = text.indexOf(`\n{"code2":"${code}",`);
  const next = text.indexOf('\n{"code2":"', start + 1);
  const one = start === -1 ? "" : text.slice(start, next === -1 ? text.lastIndexOf("]") : next);
  return `{"license":"","countries":[${one.replace(/,\s*$/, "")}]}`;
}

async function checkReadable(path: string): Promise<Result<undefined, CountriesFailure>> {
  try {
    await access(path, constants.R_OK);
    return ok(undefined);
  } catch (error) {
    return unreadable(path, error);
  }
}

async function parseFile<T>(
  path: string,
  parse: (json: unknown) => Result<T, CountriesFailure>,
  select: (text: string) => string = (text) => text,
): Promise<Result<T, CountriesFailure>> {
  let json: unknown;
  try {
    json = JSON.parse(select(await readFile(path, "utf8")));
  } catch (error) {
    return unreadable(path, error);
  }
  const parsed = parse(json);
  return parsed.ok
    ? parsed
    : fail(parsed.failure.reason, `the country data ${path}: ${parsed.failure.description}`);
}

function unreadable(path: string, error: unknown): Result<never, CountriesFailure> {
  const problem = error instanceof Error ? error.message : String(error);
  return fail("COUNTRY_DATA_UNREADABLE", `the country data ${path} cannot be read: ${problem}`);
}
