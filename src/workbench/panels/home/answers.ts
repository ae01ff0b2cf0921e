import type { ImageBody } from "../../kit/image.js";

/** The parts of answers in JSON that the home shows. */

/** Answers of `LookupIp` and `LookupSelf`. */
export interface AddressAnswer {
  readonly ip: string;
  readonly metadata: {
    readonly location: { readonly country: string };
    readonly asn: number;
    readonly asn_name: string;
    readonly coords: { readonly lat: number; readonly lon: number };
    readonly details?: {
      readonly country_name: string;
      readonly region: string;
      readonly city: string;
      readonly time_zone: string;
    };
  };
}

/** The answer of `ExplainEmail`. */
export interface EmailAnswer {
  readonly email: string;
  readonly steps: readonly { readonly description: string; readonly result: string }[];
}

/** The answer of `SearchCountries`. */
export interface SearchAnswer {
  readonly matches: readonly FoundCountry[];
  readonly suggestions: readonly FoundCountry[];
}

/** A match of a search. */
export interface FoundCountry {
  readonly value: string;
  readonly kind: string;
  readonly match?: string;
  readonly country: { readonly code2: string; readonly name: string };
}

/** The answer of `GetCountry`. */
export interface CountryAnswer {
  readonly country: {
    readonly code2: string;
    readonly name: string;
    readonly native_name: string;
    readonly capital: string;
    readonly currencies: readonly { readonly name: string; readonly code: string }[];
    readonly languages: readonly { readonly name: string }[];
    readonly calling_codes: readonly string[];
    readonly time_zones: readonly string[];
    readonly area_km2?: number;
  };
}

/** The answer of `VerifyOtp`. */
export interface CodeAnswer {
  readonly otp_codes: { readonly current: string };
  readonly period: number;
}

/** The answer of `RenderBarcode`. */
export interface ImageAnswer {
  readonly image: ImageBody;
}

/** The kinds of a match that name a country itself, and not a thing in it. */
const NAMES_OF_COUNTRIES: readonly string[] = [
  "ALPHA2",
  "ALPHA3",
  "NAME",
  "OFFICIAL_NAME",
  "ALTERNATIVE_NAME",
  "LOCAL_NAME",
  "FORMER_NAME",
  "TRANSLATED_NAME",
  "OTHER_NAME",
  "FLAG",
].map((kind) => `KIND_${kind}`);

/** Returns the countries that a text names exactly, each once, the best first. */
export function namedCountries(matches: readonly FoundCountry[]): readonly FoundCountry[] {
  const exact = matches.filter(
    ({ kind, match }) => match === "MATCH_EXACT" && NAMES_OF_COUNTRIES.includes(kind),
  );
  return exact.filter(
    ({ country }, index) => exact.findIndex((each) => each.country.code2 === country.code2) === index,
  );
}
