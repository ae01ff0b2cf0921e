import names from "./search-names.json" with { type: "json" };

/**
 * Names in common use that the packages do not have, by alpha-2 code: abbreviations, everyday names of a country or of its
 * main part, and romanized native names.
 */
export const ALTERNATIVE_NAMES: Readonly<Record<string, readonly string[]>> = names.alternative;

/**
 * Former names, by alpha-2 code: those that ISO 3166-3 and the notes of the UN's list of member states
 * (https://www.un.org/en/about-us/member-states) have, and those of colonies and kingdoms before.
 */
export const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = names.former;

/** Former countries, and the countries and territories that were parts of them. */
export const FORMER_COUNTRIES: readonly {
  readonly names: readonly string[];
  readonly codes: readonly string[];
}[] = names.formerCountries;
