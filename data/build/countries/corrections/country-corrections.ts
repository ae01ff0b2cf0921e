import type { Change } from "../change.js";

/** Corrections of one field, by alpha-2 code. */
export type CountryChanges<T> = Readonly<Record<string, Change<T>>>;

/**
 * Names of countries-list that are not those of ISO 3166-1 and the UN. The names are the short names of ISO 3166-1, with
 * diacritics, without inversions, articles and parentheses; if ISO has a formal name and a shorter one is in common use
 * (`Bolivia`, `Russia`, `South Korea`, `United Kingdom`, `Vatican City`, `Vietnam` …), the shorter one.
 */
export const NAMES: CountryChanges<string> = {
  AX: { from: "Aland", to: "Åland Islands" },
  BL: { from: "Saint Barthelemy", to: "Saint Barthélemy" },
  BQ: { from: "Bonaire", to: "Bonaire, Sint Eustatius and Saba" },
  CG: { from: "Republic of the Congo", to: "Congo" },
  CI: { from: "Ivory Coast", to: "Côte d'Ivoire" },
  CW: { from: "Curacao", to: "Curaçao" },
  // Since 26 June 2026.
  NR: { from: "Nauru", to: "Naoero" },
  RE: { from: "Reunion", to: "Réunion" },
  SH: { from: "Saint Helena", to: "Saint Helena, Ascension and Tristan da Cunha" },
  TL: { from: "East Timor", to: "Timor-Leste" },
  UM: { from: "U.S. Minor Outlying Islands", to: "United States Minor Outlying Islands" },
  VI: { from: "U.S. Virgin Islands", to: "United States Virgin Islands" },
};

/** Native names of countries-list that are romanized, truncated, with vowel points, or of the other Korea. */
export const NATIVE_NAMES: CountryChanges<string> = {
  BD: { from: "Bangladesh", to: "বাংলাদেশ" },
  BQ: { from: "Bonaire", to: "Bonaire, Sint Eustatius en Saba" },
  BT: { from: "ʼbrug-yul", to: "འབྲུག་ཡུལ" },
  GS: { from: "South Georgia", to: "South Georgia and the South Sandwich Islands" },
  IL: { from: "יִשְׂרָאֵל", to: "ישראל" },
  KP: { from: "북한", to: "조선" },
  LA: { from: "ສປປລາວ", to: "ລາວ" },
  LK: { from: "śrī laṃkāva", to: "ශ්‍රී ලංකාව" },
  MV: { from: "Maldives", to: "ދިވެހިރާއްޖެ" },
  NR: { from: "Nauru", to: "Naoero" },
  PK: { from: "Pakistan", to: "پاکستان" },
  SH: { from: "Saint Helena", to: "Saint Helena, Ascension and Tristan da Cunha" },
  TF: {
    from: "Territoire des Terres australes et antarctiques fr",
    to: "Terres australes et antarctiques françaises",
  },
  VA: { from: "Vaticano", to: "Città del Vaticano" },
  YE: { from: "اليَمَن", to: "اليمن" },
};

/** Capitals of countries-list. */
export const CAPITALS: CountryChanges<string> = {
  // By decree of 3 January 2026. The institutions move from Malabo within a year.
  GQ: { from: "Malabo", to: "Ciudad de la Paz" },
  // A special administrative region has no capital; countries-list has none for Macao either.
  HK: { from: "City of Victoria", to: "" },
  // The spelling of the city, and of its state in ISO 3166-2.
  MN: { from: "Ulan Bator", to: "Ulaanbaatar" },
  // The seat of government; Lobamba is where parliament and the royal house are.
  SZ: { from: "Lobamba", to: "Mbabane" },
  // Each atoll has its own administration.
  TK: { from: "Fakaofo", to: "" },
  US: { from: "Washington D.C.", to: "Washington, D.C." },
};

/** Continents of countries-list that differ from the region of UN M49. */
export const CONTINENT_CODES: CountryChanges<string> = {
  RU: { from: "AS", to: "EU" },
  TL: { from: "OC", to: "AS" },
};

/** Calling codes of countries-list, with the area code if the code is shared (ITU-T E.164). */
export const PHONES: CountryChanges<readonly number[]> = {
  // The Australian Antarctic Territory.
  AQ: { from: [672], to: [6721] },
  AX: { from: [358], to: [35818] },
  // 599 7 is only Bonaire; Sint Eustatius has 599 3, Saba 599 4.
  BQ: { from: [5997], to: [5993, 5994, 5997] },
  CC: { from: [61], to: [6189162] },
  CX: { from: [61], to: [6189164] },
  EH: { from: [212], to: [2125288, 2125289] },
  GG: { from: [44], to: [441481] },
  IM: { from: [44], to: [441624] },
  JE: { from: [44], to: [441534] },
  // 658 was added to 876 in 2018.
  JM: { from: [1876], to: [1876, 1658] },
  KZ: { from: [7], to: [76, 77] },
  NF: { from: [672], to: [6723] },
  // Saint Helena with Tristan da Cunha, and Ascension.
  SH: { from: [290], to: [290, 247] },
  // 379 is reserved and not in use; the city has numbers of Rome.
  VA: { from: [379], to: [3906698] },
  // Kosovo's own code has replaced those of Monaco, Serbia and Slovenia.
  XK: { from: [377, 381, 383, 386], to: [383] },
  // Land lines and mobile telephones.
  YT: { from: [262], to: [262269, 262639] },
};

/** Currencies of countries-list. */
export const CURRENCIES: CountryChanges<readonly string[]> = {
  PS: { from: ["ILS"], to: ["ILS", "JOD"] },
};

/** Symbols of currencies in countries-list, by their ISO 4217 code. */
export const CURRENCY_SYMBOLS: Readonly<Record<string, Change<string>>> = {
  // Full width, as in Japanese text.
  JPY: { from: "\uffe5", to: "¥" },
  // CLDR has these symbols for Sesotho in Lesotho and for Arabic in Morocco.
  LSL: { from: "LSL", to: "M" },
  MAD: { from: "MAD", to: "د.م." },
  // Since October 2021. The S was that of the bolívar soberano.
  VES: { from: "Bs.S", to: "Bs." },
  // CLDR has these symbols for English in Vanuatu and in Samoa.
  VUV: { from: "VUV", to: "VT" },
  WST: { from: "WST", to: "WS$" },
  // With a narrow space that does not break.
  XOF: { from: "F\u202fCFA", to: "F CFA" },
  // Of the Reserve Bank of Zimbabwe; CLDR has none.
  ZWG: { from: "ZWG", to: "ZiG" },
};

/** Top-level domains of @countrystatecity/countries that are not delegated (IANA root zone database). */
export const TOP_LEVEL_DOMAINS: CountryChanges<string> = {
  BL: { from: ".bl", to: "" },
  BQ: { from: ".an", to: "" },
  EH: { from: ".eh", to: "" },
  MF: { from: ".mf", to: "" },
  UM: { from: ".us", to: "" },
  XK: { from: ".xk", to: "" },
};

/** Coordinates of @countrystatecity/countries. */
export const COORDINATES: CountryChanges<{ lat: number; lon: number }> = {
  // Wake Island represents all of them.
  UM: { from: { lat: 0, lon: 0 }, to: { lat: 19.3, lon: 166.6333 } },
};

/** The first country of a time zone in moment-timezone, if it is not that of the IANA file zone.tab. */
export const ZONE_COUNTRIES: Readonly<Record<string, Change<string>>> = {
  "Europe/Simferopol": { from: "RU", to: "UA" },
};

/** Time zones of moment-timezone, by alpha-2 code. */
export const TIME_ZONES: CountryChanges<readonly string[]> = {
  // The IANA time zones are those of countries in ISO 3166-1.
  XK: { from: [], to: ["Europe/Belgrade"] },
};
