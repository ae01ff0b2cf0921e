import type { Change } from "../change.js";
import type { CountryChanges } from "./country-corrections.js";

/**
 * Official languages of CLDR, by alpha-2 code. CLDR has three kinds; the build uses those that are official in the whole
 * country by law or in fact, and omits those of regions.
 */
export const OFFICIAL_LANGUAGES: CountryChanges<readonly string[]> = {
  // Constitution as revised in January 2024, article 35: French and English are working languages.
  BF: { from: ["fr"], to: ["mos", "dyu", "ff", "bib"] },
  // Bonaire: Dutch and Papiamento; Sint Eustatius and Saba: Dutch and English.
  BQ: { from: ["nl"], to: ["pap", "nl", "en"] },
  // Uninhabited; the language of the country that it belongs to.
  BV: { from: [], to: ["nb"] },
  // The four national languages of article 1 of the constitution.
  CD: { from: ["fr"], to: ["fr", "sw", "lua", "ln", "kg"] },
  // Swiss German is spoken; article 70 of the constitution names four languages.
  CH: { from: ["de", "gsw", "fr", "it"], to: ["de", "fr", "it", "rm"] },
  // Te Reo Maori Act 2003.
  CK: { from: ["en"], to: ["en", "rar"] },
  // English is the third official language.
  CW: { from: ["pap", "nl"], to: ["pap", "nl", "en"] },
  // Articles 3 and 4 of the constitution; French is not official.
  DZ: { from: ["ar", "fr"], to: ["ar", "tzm"] },
  // Official in their autonomous communities by article 3 of the constitution.
  ES: { from: ["es"], to: ["es", "ca", "gl", "eu", "oc"] },
  HM: { from: [], to: ["en"] },
  // Article 4 of the constitution.
  IQ: { from: ["ar"], to: ["ar", "ku"] },
  // French is official in law.
  JE: { from: ["en"], to: ["en", "fr"] },
  // Comorian is one language in article 9 of the constitution; CLDR has the varieties of two islands.
  KM: { from: ["ar", "zdj", "wni", "fr"], to: ["zdj", "ar", "fr"] },
  // Article 6 of the constitution.
  LI: { from: ["de", "gsw"], to: ["de"] },
  // Article 5 of the constitution; French is not official.
  MA: { from: ["ar", "fr", "tzm"], to: ["ar", "tzm"] },
  // Article 13 of the constitution: Montenegrin is official, the others are in official use.
  ME: { from: ["sr"], to: ["cnr", "sr", "bs", "sq", "hr"] },
  // English has not been official since the constitution of 2010.
  MG: { from: ["mg", "fr", "en"], to: ["mg", "fr"] },
  // Albanian has been official in the whole country since 2019.
  MK: { from: ["mk"], to: ["mk", "sq"] },
  // Cantonese is spoken; article 9 of the basic law names Chinese and Portuguese.
  MO: { from: ["zh", "yue", "pt"], to: ["zh", "pt"] },
  // Article 31 of the constitution of 2023: the 13 national languages; French is the working language.
  ML: {
    from: ["fr"],
    to: ["bm", "ff", "ses", "snk", "dts", "mwk", "myk", "spp", "taq", "bmq", "kao", "bze", "mey"],
  },
  // Article XXII of the constitution.
  MP: { from: ["en"], to: ["en", "ch", "cal"] },
  // Article 12 of the charter of March 2025: Hausa is the national language; French and English are working languages.
  NE: { from: ["fr"], to: ["ha"] },
  // Yoruba is not official in the whole country.
  NG: { from: ["en", "yo"], to: ["en"] },
  // The code for both written forms comes first.
  NO: { from: ["nb", "no", "nn"], to: ["no", "nb", "nn"] },
  // Article 48 of the constitution.
  PE: { from: ["es", "qu"], to: ["es", "qu", "ay"] },
  // Organic law 2004-192, article 57: only French is official.
  PF: { from: ["fr", "ty"], to: ["fr"] },
  // Swahili has been official since 2017.
  RW: { from: ["rw", "en", "fr"], to: ["rw", "en", "fr", "sw"] },
  // Article 1 of the constitution; Wolof is a national language.
  SN: { from: ["wo", "fr"], to: ["fr"] },
  TF: { from: [], to: ["fr"] },
  // CLDR has the same number of users for both. More people speak Tetum.
  TL: { from: ["pt", "tet"], to: ["tet", "pt"] },
  // Article 1 of the constitution.
  TN: { from: ["ar", "fr"], to: ["ar"] },
  // Article 10 of the constitution.
  UA: { from: ["uk", "ru"], to: ["uk"] },
  // Latin is the language of the Holy See.
  VA: { from: ["it"], to: ["it", "la"] },
  // Section 6 of the constitution: all are official in the whole country.
  ZA: { from: ["en"], to: ["en", "zu", "xh", "af", "nso", "tn", "st", "ts", "ss", "ve", "nr"] },
};

/** Languages that countries-list does not have. */
export const MORE_LANGUAGES: Readonly<Record<string, { name: string; native: string }>> = {
  bib: { name: "Bissa", native: "Bɩsa" },
  bmq: { name: "Bomu", native: "Bomu" },
  bze: { name: "Bozo", native: "Jenaama" },
  cal: { name: "Carolinian", native: "Refaluwasch" },
  cnr: { name: "Montenegrin", native: "Crnogorski" },
  dts: { name: "Dogon", native: "Tɔrɔ sɔɔ" },
  dyu: { name: "Dyula", native: "Julakan" },
  fil: { name: "Filipino", native: "Filipino" },
  gil: { name: "Gilbertese", native: "Taetae ni Kiribati" },
  hak: { name: "Hakka", native: "客家話" },
  hif: { name: "Fiji Hindi", native: "फ़िजी हिंदी" },
  kao: { name: "Khassonke", native: "Xaasongaxanŋo" },
  lua: { name: "Luba-Lulua", native: "Tshiluba" },
  mey: { name: "Hassaniya", native: "الحسانية" },
  mos: { name: "Mooré", native: "Mòoré" },
  mwk: { name: "Maninka", native: "Maninkakan" },
  myk: { name: "Minyanka", native: "Mamara" },
  nan: { name: "Min Nan", native: "閩南語" },
  niu: { name: "Niuean", native: "Vagahau Niue" },
  nso: { name: "Northern Sotho", native: "Sesotho sa Leboa" },
  pap: { name: "Papiamento", native: "Papiamentu" },
  pau: { name: "Palauan", native: "Tekoi ra Belau" },
  rar: { name: "Cook Islands Māori", native: "Māori Kūki Āirani" },
  ses: { name: "Songhay", native: "Koyraboro senni" },
  snk: { name: "Soninke", native: "Sooninkanxanne" },
  spp: { name: "Senufo", native: "Supyire" },
  taq: { name: "Tamasheq", native: "Tamasheq" },
  tet: { name: "Tetum", native: "Tetun" },
  tkl: { name: "Tokelauan", native: "Gagana Tokelau" },
  tpi: { name: "Tok Pisin", native: "Tok Pisin" },
  tvl: { name: "Tuvaluan", native: "Te Gana Tuvalu" },
  tzm: { name: "Tamazight", native: "Tamaziɣt" },
  zdj: { name: "Comorian", native: "Shikomori" },
};

/** Names of languages in countries-list that are unusual, or lists of names. */
export const LANGUAGE_NAMES: Readonly<Record<string, Change<string>>> = {
  ff: { from: "Peul", to: "Fula" },
  km: { from: "Cambodian", to: "Khmer" },
  lo: { from: "Laotian", to: "Lao" },
  mi: { from: "Maori", to: "Māori" },
  rm: { from: "Raeto Romance", to: "Romansh" },
  rw: { from: "Rwandi", to: "Kinyarwanda" },
  si: { from: "Sinhalese", to: "Sinhala" },
  so: { from: "Somalia", to: "Somali" },
  to: { from: "Tonga", to: "Tongan" },
};

/** Native names of languages in countries-list that are lists of names, or misspelled. */
export const LANGUAGE_NATIVE_NAMES: Readonly<Record<string, Change<string>>> = {
  az: { from: "Azərbaycanca / آذربايجان", to: "Azərbaycanca" },
  kg: { from: "KiKongo", to: "Kikongo" },
  ku: { from: "Kurdî / كوردی", to: "کوردی" },
  lo: { from: "ລາວ / Pha xa lao", to: "ລາວ" },
  mh: { from: "Kajin Majel / Ebon", to: "Kajin M̧ajeļ" },
  rw: { from: "Kinyarwandi", to: "Ikinyarwanda" },
  th: { from: "ไทย / Phasa Thai", to: "ไทย" },
  tk: { from: "Туркмен / تركمن", to: "Türkmençe" },
};
