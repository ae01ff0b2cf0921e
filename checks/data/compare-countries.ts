import { check, conclude, mustRun } from "connect-transcoding-testing/checks.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import type { Country } from "../../src/tools/countries/country.js";
import { searchText } from "../../src/tools/countries/search/search-text.js";
import { loadCountries } from "../../test/data/load-countries.js";
import { KNOWN, KNOWN_SUBDIVISIONS } from "./known-differences.js";

// Compares data/countries.json with independent packages. Fails with a difference that is not known, and with a known one that is gone.

/** The facts of a country in the other sources. */
interface Facts {
  readonly codes: string;
  readonly zones: readonly string[];
  readonly callingCode: number;
  readonly tender: readonly string[];
  readonly postalCodes: readonly string[];
  readonly capital: string;
  readonly area: number;
  readonly domain: string;
  readonly languages: readonly string[];
  readonly borders: readonly string[];
}

/** The largest difference of two areas, as a share. */
const AREA_TOLERANCE = 0.05;

/** Returns what a source has instead; undefined if it agrees. */
type Compare = (country: Country, facts: Facts) => string | undefined;

const COMPARISONS: Readonly<Record<string, Compare>> = {
  "codes (iso-codes)": ({ code3, numeric }, { codes }) => differs([codes], [`${code3} ${numeric}`]),
  "time zones (tzdata)": ({ timeZones }, { zones }) => differs(zones, timeZones.toSorted()),
  "calling code (libphonenumber)": ({ callingCodes }, { callingCode }) =>
    callingCodes.every((code) => code.startsWith(`+${callingCode}`)) ? undefined : `+${callingCode}`,
  "legal tender (CLDR in Babel)": ({ currencies }, { tender }) =>
    differs(tender, currencies.map(({ code }) => code).sort()),
  "capital (GeoNames)": ({ capital }, other) =>
    searchText(capital).compact === searchText(other.capital).compact ? undefined : other.capital,
  "top-level domain (GeoNames)": ({ topLevelDomain }, { domain }) => differs([domain], [topLevelDomain]),
  "official languages spoken in the country (GeoNames)": ({ languages }, other) =>
    languages
      .map(({ code }) => code)
      .filter((code) => !other.languages.includes(code))
      .map((code) => `no ${code}`)
      .join(", ") || undefined,
  "borders (GeoNames)": ({ borders }, other) => differs(other.borders, borders),
  "area within 5 % (GeoNames)": ({ areaKm2 }, { area }) =>
    Math.abs(area / areaKm2 - 1) <= AREA_TOLERANCE ? undefined : `${area}, not ${areaKm2}`,
  "postal codes (libaddressinput)": ({ postalCodeFormat }, { postalCodes }) => {
    const pattern = patternOf(postalCodeFormat);
    return postalCodes.find((code) => !pattern.test(code.replaceAll(/[ -]/g, "")));
  },
};

function differs(...lists: [theirs: readonly string[], ours: readonly string[]]): string | undefined {
  const [theirs, ours] = lists.map((list) => list.join(" ") || "nothing");
  return theirs === ours ? undefined : `${theirs}, not ${ours}`;
}

/** The pattern of postal codes without spaces and hyphens. */
function patternOf(format: string): RegExp {
  const plain = format.replaceAll(/[ -]/g, "");
  return new RegExp(
    `^(?:${plain.replaceAll("#", "[0-9]").replaceAll("@", "[A-Z]").replaceAll("*", "[A-Z0-9]")})$`,
  );
}

/** Checks the differences of one comparison, by alpha-2 code. */
function checkDifferences(what: string, found: ReadonlyMap<string, string>): void {
  const known = KNOWN[what] ?? {};
  const fresh = [...found].filter(([code]) => known[code] === undefined);
  const gone = Object.keys(known).filter((code) => !found.has(code));
  check(
    `${what}: ${found.size} differences, all known`,
    fresh.length === 0 && gone.length === 0,
    [
      ...fresh.map(([code, theirs]) => `${code} has ${theirs}`),
      ...gone.map((code) => `${code} agrees now`),
    ].join("; "),
  );
}

const countries = loadCountries();
const folder = pythonPrograms("country-facts", "checks/data/requirements.txt");
const { stdout } = mustRun(`${folder}/bin/python`, ["checks/data/independent_facts.py"]);
const { countries: others, subdivisions }: { countries: Record<string, Facts>; subdivisions: string[] } =
  JSON.parse(stdout);

// ISO 3166-1 has no code for Kosovo.
const missing = countries.map(({ code2 }) => code2).filter((code) => others[code] === undefined);
check("countries (iso-codes): all but Kosovo", missing.join() === "XK", missing);
for (const [what, compare] of Object.entries(COMPARISONS)) {
  const found = countries.flatMap((country) => {
    const facts = others[country.code2];
    const theirs = facts && compare(country, facts);
    return theirs === undefined ? [] : [[country.code2, theirs] as const];
  });
  checkDifferences(what, new Map(found));
}

const ours = countries.flatMap(({ states }) => states.map(({ code }) => code)).sort();
/** The codes of one source that another one does not have. All codes are in order. */
const onlyIn = (codes: readonly string[], others: ReadonlySet<string>) =>
  codes.filter((code) => !others.has(code)).join(" ");
const [own, foreign] = [onlyIn(ours, new Set(subdivisions)), onlyIn(subdivisions, new Set(ours))];
check("subdivisions only in countries.json: all known", own === KNOWN_SUBDIVISIONS.ours, own);
check("subdivisions only in iso-codes: all known", foreign === KNOWN_SUBDIVISIONS.theirs, foreign);
conclude();
