import type { Country } from "../../../../src/tools/countries/country.js";
import type { Sources } from "../sources.js";

/** The fewest digits after a calling code that are examined: ranges of one country are seldom shorter. */
const MIN_DIGITS = 3;
/** The most digits after a calling code that distinguish countries. */
const MAX_DIGITS = 5;
/** The lengths of numbers without the calling code. */
const LENGTHS = [6, 7, 8, 9, 10];
/** Digits that follow a beginning: each first digit, with several second ones. */
const ENDS = Array.from(
  { length: 40 },
  (_, index) => `${index % 10}${"1367"[Math.floor(index / 10)]}23456789`,
);

/**
 * Finds the beginnings of the land-line and mobile numbers that only one country has, of the countries that share a calling code, by
 * alpha-2 code: `+1416` is Canada. A beginning is omitted if the calling codes of the countries with inhabitants show its country.
 */
export function buildPhonePrefixes(
  countries: readonly Omit<Country, "search">[],
  { numberingPlans: plans, database }: Sources,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const inhabited = countries.filter(({ code2 }) => (database.get(code2)?.population ?? 0) > 0);
  const ofCode = (prefix: string) => {
    for (let length = prefix.length; length > 1; length--) {
      const code = prefix.slice(0, length);
      const own = inhabited.filter(({ callingCodes }) => callingCodes.includes(code));
      if (own.length > 0) {
        return own.length === 1 ? own[0]?.code2 : undefined;
      }
    }
    return undefined;
  };
  for (const [code, codes] of Object.entries(plans.country_calling_codes)) {
    // The fields of a plan: 11 has the patterns of land lines, of mobile telephones, and of other kinds.
    const patterns = codes.map((code2) => {
      const [fixed, mobile] = plans.countries[code2]?.[11] ?? [];
      const all = [fixed, mobile].flatMap((kind) => (kind === undefined || kind === 0 ? [] : kind));
      return [code2, new RegExp(`^(?:${all.join("|")})$`)] as const;
    });
    const known = new Map<string, ReadonlySet<string>>();
    const ownersOf = (digits: string): ReadonlySet<string> => {
      const owners = known.get(digits) ?? findOwners(digits);
      known.set(digits, owners);
      return owners;
    };
    const findOwners = (digits: string): ReadonlySet<string> => {
      const numbers = ENDS.flatMap((end) => LENGTHS.map((length) => `${digits}${end}`.slice(0, length)));
      const own = patterns.filter(([, pattern]) => numbers.some((number) => pattern.test(number)));
      const owners = new Set(own.map(([code2]) => code2));
      return digits.length < MIN_DIGITS || (owners.size > 1 && digits.length < MAX_DIGITS)
        ? new Set(DIGITS.flatMap((digit) => [...ownersOf(digits + digit)]))
        : owners;
    };
    const visit = (digits: string) => {
      const owners = ownersOf(digits);
      const [owner = ""] = owners;
      if (owners.size > 1 && digits.length < MAX_DIGITS) {
        DIGITS.forEach((digit) => {
          visit(digits + digit);
        });
      } else if (owners.size === 1 && ofCode(`+${code}${digits}`) !== owner) {
        found.set(owner, [...(found.get(owner) ?? []), `+${code}${digits}`]);
      }
    };
    if (codes.length > 1) {
      DIGITS.forEach(visit);
    }
  }
  return found;
}

const DIGITS = [..."0123456789"];
