/** A currency. */
export interface Currency {
  /** ISO 4217 code, for example `EUR`. */
  readonly code: string;
  /** English name. */
  readonly name: string;
}

/** A language. */
export interface Language {
  /** ISO 639-1 code, or ISO 639-3 where there is no shorter one. */
  readonly code: string;
  /** English name. */
  readonly name: string;
  /** The name in the language itself. */
  readonly nativeName: string;
}

/** A point on the globe in degrees (WGS 84), with at most 4 decimals. */
export interface Coordinates {
  /** Latitude, north positive. */
  readonly lat: number;
  /** Longitude, east positive. */
  readonly lon: number;
}

/** A subdivision of a country. */
export interface State {
  /** ISO 3166-2 code, for example `FR-IDF`. */
  readonly code: string;
  /** The name, in English where there is an English one. */
  readonly name: string;
  /** The local name; empty where it is the same as `name` or not known. */
  readonly nativeName: string;
  /** What kind of subdivision it is, in lower case. */
  readonly type: string;
  /** The ISO 3166-2 code of the subdivision that this one is a part of; empty at the first level. */
  readonly parent: string;
}

/** A country or territory of ISO 3166-1, or Kosovo. */
export interface Country {
  /** ISO 3166-1 alpha-2 code. */
  readonly code2: string;
  /** ISO 3166-1 alpha-3 code. */
  readonly code3: string;
  /** ISO 3166-1 numeric code, three digits; empty for Kosovo. */
  readonly numeric: string;
  /** Short English name. */
  readonly name: string;
  /** Official English name. */
  readonly officialName: string;
  /** The name in a language of the country. */
  readonly nativeName: string;
  /** The flag: two regional indicator symbols. */
  readonly flag: string;
  /** Capital; empty where there is none. */
  readonly capital: string;
  /** Region by UN M49; empty for Antarctica. */
  readonly region: string;
  /** Narrowest subregion by UN M49; empty for Antarctica. */
  readonly subregion: string;
  /** Continent. */
  readonly continent: string;
  /** A point that stands for the country on a map. */
  readonly coordinates: Coordinates;
  /** Currencies that are legal tender, the main one first. */
  readonly currencies: readonly Currency[];
  /** Languages, the main one first. */
  readonly languages: readonly Language[];
  /** Calling codes with their plus sign. */
  readonly callingCodes: readonly string[];
  /** Country-code top-level domain with its dot; empty where none is delegated. */
  readonly topLevelDomain: string;
  /** IANA time zones. */
  readonly timeZones: readonly string[];
  /** Whether EU law applies: a member, or a territory of one that has a code of its own. */
  readonly eu: boolean;
  /** Subdivisions, ordered by code. */
  readonly states: readonly State[];
}
