import type { Country } from "../../src/tools/countries/country.js";
import { searchText } from "../../src/tools/countries/search-text.js";
import { loadCountries } from "../../test/data/load-countries.js";
import { check, conclude, mustRun } from "../lib/checks.mjs";
import { pythonPrograms } from "../lib/programs.mjs";
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
  "codes (iso-codes)": ({ code3, numeric }, { codes }) => differs(codes, `${code3} ${numeric}`),
  "time zones (tzdata)": ({ timeZones }, { zones }) =>
    differs(zones.join(" "), timeZones.toSorted().join(" ")),
  "calling code (libphonenumber)": ({ callingCodes }, { callingCode }) =>
    callingCodes.every((code) => code.startsWith(`+${callingCode}`)) ? undefined : `+${callingCode}`,
  "legal tender (CLDR in Babel)": ({ currencies }, { tender }) =>
    differs(
      tender.join(" "),
      currencies
        .map(({ code }) => code)
        .sort()
        .join(" "),
    ),
  "capital (GeoNames)": ({ capital }, other) =>
    searchText(capital).compact === searchText(other.capital).compact ? undefined : other.capital,
  "top-level domain (GeoNames)": ({ topLevelDomain }, { domain }) => differs(domain, topLevelDomain),
  "official languages spoken in the country (GeoNames)": ({ languages }, other) =>
    languages
      .map(({ code }) => code)
      .filter((code) => !other.languages.includes(code))
      .map((code) => `no ${code}`)
      .join(", ") || undefined,
  "borders (GeoNames)": ({ borders }, other) => differs(other.borders.join(" "), borders.join(" ")),
  "area within 5 % (GeoNames)": ({ areaKm2 }, { area }) =>
    Math.abs(area / areaKm2 - 1) <= AREA_TOLERANCE ? undefined : `${area}, not ${areaKm2}`,
  "postal codes (libaddressinput)": ({ postalCodeFormat }, { postalCodes }) => {
    const pattern = patternOf(postalCodeFormat);
    return postalCodes.find((code) => !pattern.test(code.replaceAll(/[ -]/g, "")));
  },
};

function differs(theirs: string, ours: string): string | undefined {
  return theirs === ours ? undefined : `${theirs || "nothing"}, not ${ours || "nothing"}`;
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

/** Checks the subdivisions that only one source has. All codes are in order. */
function checkSubdivisions(
  source: string,
  known: string,
  codes: readonly string[],
  others: ReadonlySet<string>,
): void {
  const only = codes.filter((code) => !others.has(code)).join(" ");
  check(`subdivisions only in ${source}: all known`, only === known, only);
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
checkSubdivisions("countries.json", KNOWN_SUBDIVISIONS.ours, ours, new Set(subdivisions));
checkSubdivisions("iso-codes", KNOWN_SUBDIVISIONS.theirs, subdivisions, new Set(ours));
conclude();
