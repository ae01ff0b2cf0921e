/**
 * Names in common use that the packages do not have, by alpha-2 code: abbreviations, everyday names of a country or of its
 * main part, and romanized native names.
 */
export const ALTERNATIVE_NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ["UAE", "Emirates"],
  AM: ["Hayastan"],
  BA: ["BiH"],
  CD: ["DRC", "DR Congo"],
  CF: ["CAR"],
  CN: ["PRC", "Mainland China", "Zhongguo"],
  EG: ["Misr"],
  FK: ["Malvinas", "Falklands"],
  FO: ["Faeroe Islands", "Faroes"],
  GB: ["Great Britain", "Britain"],
  GE: ["Sakartvelo"],
  GR: ["Hellas"],
  IE: ["Republic of Ireland"],
  IN: ["Bharat"],
  JP: ["Nippon", "Nihon"],
  KP: ["DPRK"],
  KR: ["ROK", "Hanguk"],
  LA: ["Lao PDR"],
  MA: ["Al Maghrib"],
  NL: ["Holland"],
  RU: ["Rossiya"],
  SA: ["KSA"],
  TW: ["ROC", "Republic of China", "Chinese Taipei"],
  US: ["USA", "US", "America"],
  VA: ["Vatican"],
  VG: ["BVI"],
  VI: ["USVI"],
  ZA: ["RSA"],
};

/**
 * Former names, by alpha-2 code: those that ISO 3166-3 and the notes of the UN's list of member states
 * (https://www.un.org/en/about-us/member-states) have, and those of colonies and kingdoms before.
 */
export const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ["Trucial States"],
  BD: ["East Pakistan"],
  BF: ["Upper Volta"],
  BJ: ["Dahomey"],
  BW: ["Bechuanaland"],
  BY: ["Byelorussia", "Belorussia"],
  BZ: ["British Honduras"],
  CD: ["Zaire", "Belgian Congo"],
  CV: ["Cape Verde"],
  DE: ["West Germany", "East Germany", "German Democratic Republic"],
  DJ: ["French Afars and Issas", "French Somaliland"],
  EH: ["Spanish Sahara"],
  ET: ["Abyssinia"],
  GH: ["Gold Coast"],
  GN: ["French Guinea"],
  GQ: ["Spanish Guinea"],
  GW: ["Portuguese Guinea"],
  GY: ["British Guiana"],
  ID: ["Dutch East Indies", "Netherlands East Indies"],
  IR: ["Persia"],
  JO: ["Transjordan"],
  KG: ["Kirghizia"],
  KH: ["Kampuchea", "Khmer Republic"],
  KI: ["Gilbert Islands"],
  LK: ["Ceylon"],
  LS: ["Basutoland"],
  MD: ["Moldavia"],
  MK: ["Macedonia", "The former Yugoslav Republic of Macedonia", "FYROM"],
  ML: ["French Sudan"],
  MM: ["Burma"],
  MV: ["Maldive Islands"],
  MW: ["Nyasaland"],
  MY: ["Malaya"],
  NA: ["South West Africa"],
  OM: ["Muscat and Oman"],
  SR: ["Dutch Guiana", "Surinam"],
  SZ: ["Swaziland"],
  TH: ["Siam"],
  TL: ["East Timor", "Portuguese Timor"],
  TV: ["Ellice Islands"],
  TW: ["Formosa"],
  TZ: ["Tanganyika"],
  VU: ["New Hebrides"],
  WS: ["Western Samoa"],
  YE: ["South Yemen", "North Yemen"],
  ZM: ["Northern Rhodesia"],
  ZW: ["Rhodesia", "Southern Rhodesia"],
};

/** Former countries, and the countries and territories that were parts of them. */
export const FORMER_COUNTRIES: readonly {
  readonly names: readonly string[];
  readonly codes: readonly string[];
}[] = [
  { names: ["Czechoslovakia"], codes: ["CZ", "SK"] },
  { names: ["Netherlands Antilles"], codes: ["BQ", "CW", "SX"] },
  { names: ["Serbia and Montenegro"], codes: ["ME", "RS"] },
  {
    names: ["Soviet Union", "USSR"],
    codes: ["AM", "AZ", "BY", "EE", "GE", "KG", "KZ", "LT", "LV", "MD", "RU", "TJ", "TM", "UA", "UZ"],
  },
  { names: ["Yugoslavia"], codes: ["BA", "HR", "ME", "MK", "RS", "SI", "XK"] },
];
