import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { DataSource } from "../tool.js";
import {
  type Coordinates,
  type Country,
  type CountrySearchData,
  type Currency,
  type Demonym,
  DRIVING_SIDES,
  type Language,
  MEASUREMENT_SYSTEMS,
  type State,
  WEEK_STARTS,
} from "./country.js";

/** The JSON does not have the expected shape; the message says where. */
class ShapeError extends Error {}

/** Reads one JSON value. Throws a {@link ShapeError}; {@link readAt} puts the path of the value before its message. */
type Reader<T> = (value: unknown) => T;

/** Reads the value of a field or an item. An error has its place in the path: its name, or its index. */
function readAt<T>(place: string | number, read: Reader<T>, value: unknown): T {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof ShapeError) {
      throw new ShapeError(`${typeof place === "number" ? `[${place}]` : place}${error.message}`);
    }
    throw error;
  }
}

/** Reads a string that matches a pattern; `expected` describes the pattern. */
function text(pattern: RegExp, expected: string): Reader<string> {
  return (value) => {
    if (typeof value !== "string" || !pattern.test(value)) {
      throw new ShapeError(` must be ${expected}, not ${shown(value)}`);
    }
    return value;
  };
}

const anyText = text(/^/, "text");
const someText = text(/./, "text that is not empty");

/** Reads a number between two limits, both inclusive. */
function numberBetween(min: number, max: number): Reader<number> {
  return (value) => {
    if (typeof value !== "number" || !(value >= min && value <= max)) {
      throw new ShapeError(` must be a number from ${min} to ${max}, not ${shown(value)}`);
    }
    return value;
  };
}

/** Reads a whole number from 0 to a limit, inclusive. */
function wholeNumber(max: number): Reader<number> {
  return (value) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > max) {
      throw new ShapeError(` must be a whole number from 0 to ${max}, not ${shown(value)}`);
    }
    return value;
  };
}

const boolean: Reader<boolean> = (value) => {
  if (typeof value !== "boolean") {
    throw new ShapeError(` must be true or false, not ${shown(value)}`);
  }
  return value;
};

/** Reads one of some texts. */
function oneOf<T extends string>(values: readonly T[]): Reader<T> {
  return (value) => {
    const found = values.find((each) => each === value);
    if (found === undefined) {
      throw new ShapeError(` must be one of ${values.map(shown).join(", ")}, not ${shown(value)}`);
    }
    return found;
  };
}

function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) {
      throw new ShapeError(` must be a list, not ${shown(value)}`);
    }
    return value.map((item: unknown, index) => readAt(index, read, item));
  };
}

/** Reads an object with at least these fields. Ignores other fields. */
function objectOf<T extends object>(fields: { readonly [K in keyof T]-?: Reader<T[K]> }): Reader<T> {
  const readers = Object.entries(fields) as [string, Reader<unknown>][];
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new ShapeError(` must be an object, not ${shown(value)}`);
    }
    const record = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      result[name] = readAt(`.${name}`, read, record[name]);
    }
    return result as T;
  };
}

function shown(value: unknown): string {
  if (value === undefined) {
    return "missing";
  }
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}

const country = objectOf<Country>({
  code2: text(/^[A-Z]{2}$/, "two capital letters"),
  code3: text(/^[A-Z]{3}$/, "three capital letters"),
  numeric: text(/^(?:[0-9]{3})?$/, "three digits or empty"),
  name: someText,
  officialName: someText,
  nativeName: someText,
  flag: text(/^[\u{1f1e6}-\u{1f1ff}]{2}$/u, "two regional indicator symbols"),
  capital: anyText,
  region: anyText,
  subregion: anyText,
  continent: someText,
  coordinates: objectOf<Coordinates>({ lat: numberBetween(-90, 90), lon: numberBetween(-180, 180) }),
  currencies: listOf(
    objectOf<Currency>({
      code: text(/^[A-Z]{3}$/, "three capital letters"),
      name: someText,
      symbol: anyText,
      minorUnits: wholeNumber(4),
    }),
  ),
  languages: listOf(
    objectOf<Language>({
      code: text(/^[a-z]{2,3}$/, "two or three small letters"),
      name: someText,
      nativeName: someText,
    }),
  ),
  callingCodes: listOf(text(/^\+[1-9][0-9]{0,6}$/, "a plus sign and one to seven digits")),
  topLevelDomain: text(/^(?:\.[a-z]{2})?$/, "a dot and two small letters or empty"),
  timeZones: listOf(text(/^[A-Za-z_+-]+(?:\/[A-Za-z_+-]+){1,2}$/, "an IANA time zone")),
  eu: boolean,
  states: listOf(
    objectOf<State>({
      code: text(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, "an ISO 3166-2 code"),
      name: someText,
      nativeName: anyText,
      type: anyText,
      parent: text(/^(?:[A-Z]{2}-[A-Z0-9]{1,3})?$/, "an ISO 3166-2 code or empty"),
    }),
  ),
  borders: listOf(text(/^[A-Z]{2}$/, "two capital letters")),
  areaKm2: numberBetween(0, 1e9),
  landlocked: boolean,
  unMember: boolean,
  drivingSide: oneOf(DRIVING_SIDES),
  weekStart: oneOf(WEEK_STARTS),
  measurementSystem: oneOf(MEASUREMENT_SYSTEMS),
  demonym: anyText,
  postalCodeFormat: text(/^(?:[A-Z0-9#@*| -]*)$/, "formats of postal codes or empty"),
  search: objectOf<CountrySearchData>({
    alternativeNames: listOf(someText),
    localNames: listOf(someText),
    formerNames: listOf(someText),
    demonyms: listOf(
      objectOf<Demonym>({ name: someText, language: text(/^[a-z]{2}$/, "two small letters") }),
    ),
    phonePrefixes: listOf(text(/^\+[1-9][0-9]{1,9}$/, "a plus sign and two to ten digits")),
    population: wholeNumber(1e10),
  }),
});

const countriesFile = objectOf({ countries: listOf(country) });

const source = objectOf<Omit<DataSource, "builtAt" | "isFixed" | "chosenBy">>({
  name: someText,
  publisher: someText,
  url: text(/^https:\/\//, "an https URL"),
  license: someText,
  attribution: anyText,
  version: someText,
});

const sourcesFile = objectOf({ "countries.json": listOf(source) });

/** The failure of data with the wrong shape; the description says where. */
export type BrokenCountryData = Failure<"BROKEN_COUNTRY_DATA">;

/**
 * Reads the parsed content of `data/countries.json`. Returns the countries in the order of the file, or a failure with
 * the first error.
 */
export function parseCountries(json: unknown): Result<readonly Country[], BrokenCountryData> {
  return catchShapeError(() => {
    const { countries } = readAt("file", countriesFile, json);
    checkCodes(countries);
    return countries;
  });
}

/** The tables that are written for this project. Their date is their version: nothing newer can be downloaded. */
const OWN_TABLES: DataSource = {
  name: "Aliases, codes, official and former names, driving sides and postal codes of countries",
  publisher: "Utility Tools",
  url: "",
  license: "Apache-2.0",
  attribution: "",
  version: "2026-11-28",
  builtAt: undefined,
};

/**
 * Reads the sources of the country data from the parsed content of `data/SOURCES.json`. A source that is published in several
 * packages is there once. The tables of the project are the last one.
 */
export function parseSources(json: unknown): Result<readonly DataSource[], BrokenCountryData> {
  return catchShapeError(() => {
    const { "countries.json": sources } = readAt("file", sourcesFile, json);
    const distinct = new Map(sources.map((each) => [`${each.name} ${each.version}`, each]));
    // The packages have versions, but no dates.
    return [...[...distinct.values()].map((each) => ({ ...each, builtAt: undefined })), OWN_TABLES];
  });
}

function catchShapeError<T>(read: () => T): Result<T, BrokenCountryData> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof ShapeError) {
      return fail("BROKEN_COUNTRY_DATA", error.message);
    }
    throw error;
  }
}

/** Checks that all codes are unique, and that the code of a state starts with that of its country. */
function checkCodes(countries: readonly Country[]): void {
  if (countries.length === 0) {
    throw new ShapeError("file.countries must not be empty");
  }
  const seen = new Set<string>();
  const claim = (code: string) => {
    if (seen.has(code)) {
      throw new ShapeError(`the code ${code} occurs twice`);
    }
    seen.add(code);
  };
  for (const { code2, code3, states } of countries) {
    claim(code2);
    claim(code3);
    for (const { code } of states) {
      claim(code);
      if (!code.startsWith(`${code2}-`)) {
        throw new ShapeError(`the state ${code} must not be in ${code2}`);
      }
    }
  }
}
