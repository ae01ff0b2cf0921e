/**
 * The languages of country names, in the order in which a search names the language of a name that several have: English, the languages
 * with most speakers that have names in CLDR, then the official languages of other countries. A country's own spelling of a
 * language is there if it has names of its own.
 */
export const LANGUAGES: readonly string[] = (
  "en zh zh-Hant hi es ar fr ur bn pt pt-PT ru sw id pa de ja te mr jv vi ta fa tr yue ko fil it gu ps th kn ml or ha " +
  "pl am my ms nl yo uz ig uk az ne ro so el hu cs sv he fi da nb nn sk bg hr sr sr-Latn ca lt lv et sl ka hy kk mn " +
  "km lo si sq mk be is ga eu gl bs af zu ky tg tk mt lb cy fo rm dz ti de-AT de-CH es-MX"
).split(" ");

/** Codes of CLDR for parts of countries, which ISO 3166-1 reserves, and the countries. */
export const PARTS: Readonly<Record<string, string>> = {
  AC: "SH",
  CP: "FR",
  CQ: "GG",
  DG: "IO",
  EA: "ES",
  IC: "ES",
  TA: "SH",
};
