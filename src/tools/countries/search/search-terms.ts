import type { Country, State } from "../country.js";
import type { AliasKind } from "../country-names.js";
import type { SearchText } from "./search-text.js";

/** What a value of a country is. Of several values of a country that match equally well, the one of the first kind counts. */
export const TERM_KINDS = [
  "alpha2",
  "alpha3",
  "numeric",
  "flag",
  "name",
  "officialName",
  "alternativeName",
  "localName",
  "translatedName",
  "otherName",
  "part",
  "demonym",
  "formerName",
  "capital",
  "city",
  "callingCode",
  "currency",
  "otherCode",
  "currencyName",
  "topLevelDomain",
  "timeZone",
  "formerCode",
  "formerCurrency",
  "subdivisionCode",
  "subdivisionName",
] as const;

/** A kind of value by which a country is found. */
export type TermKind = (typeof TERM_KINDS)[number];

/** The kinds of names that a country has today. */
export const CURRENT_NAMES: ReadonlySet<TermKind> = new Set([
  "name",
  "officialName",
  "alternativeName",
  "localName",
  "translatedName",
]);

/** The kind of an alias of a country. */
export const KIND_OF_ALIAS: Readonly<Record<AliasKind, TermKind>> = {
  name: "otherName",
  part: "part",
  former: "formerName",
  demonym: "demonym",
  capital: "capital",
  city: "city",
  code: "otherCode",
  formerCode: "formerCode",
  formerCurrency: "formerCurrency",
  timeZone: "timeZone",
  domain: "topLevelDomain",
};

/** A value by which a country is found. */
export interface SearchTerm {
  readonly country: Country;
  readonly kind: TermKind;
  /** The value as the data has it, for example `DE-BY` or `Bayern`. */
  readonly value: string;
  /** The language of a name (BCP 47); empty for codes and if it is unknown. If several have the name, one of them. */
  readonly language: string;
  /** The subdivision with this value; undefined for a value of the country itself. */
  readonly state: State | undefined;
}

/** A name by which a country is found. */
export interface NameTerm extends SearchTerm, SearchText {}
